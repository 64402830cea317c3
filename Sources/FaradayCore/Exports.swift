// The vocabulary of HTTP — methods, fields, status — is swift-http-types', and every caller needs it.
@_exported public import HTTPTypes

// So are `Data`, `URL` and `Date`. This is the only place that says where they come from: what imports Core has them. Where
// Foundation comes in parts, as on Linux, a program gets the small one, which brings neither networking nor ICU.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
