@_exported public import FaradayCore
