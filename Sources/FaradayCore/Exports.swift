// The vocabulary of HTTP — methods, fields, status — is swift-http-types', and every caller needs it.
@_exported public import HTTPTypes
