// swift-http-types defines the HTTP types (methods, fields, status), which every caller needs.
@_exported public import HTTPTypes

// Every caller needs `Data`, `URL` and `Date` too. This is the only file that imports them: a file that imports Core has them.
// Where Foundation has several modules, as on Linux, a program gets the small one, without networking and ICU.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
