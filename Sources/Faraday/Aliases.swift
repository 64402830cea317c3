// For files that also import a module with these names, such as Vapor. `Faraday.Middleware` names any other type there; a type
// alias `FaradayMiddleware` would hide the module of that name.

/// ``FaradayCore/Request``, for files in which another module's `Request` makes the name ambiguous.
public typealias FaradayRequest = Request

/// ``FaradayCore/Response``, for files in which another module's `Response` makes the name ambiguous.
public typealias FaradayResponse = Response
