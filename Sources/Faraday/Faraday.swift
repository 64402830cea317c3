@_exported public import FaradayCoding
@_exported public import FaradayCore
@_exported public import FaradayMiddleware
@_exported public import FaradayPromises
@_exported public import FaradayRequests
@_exported public import FaradayStreams
