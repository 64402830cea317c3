internal import FaradayCore
