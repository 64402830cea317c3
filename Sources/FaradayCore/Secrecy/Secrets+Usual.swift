extension Secrets {
  /// The endings of credential names that are secret by default.
  ///
  /// - `key` includes API, account and private keys; the endings in ``harmlessEndings`` are excepted.
  /// - `session` and the like are complete logins; so are signatures, as a signed URL works for anyone.
  /// - `codeverifier` and `assertion` are OAuth proofs (RFC 7636, RFC 7521); `csrf` and `xsrf` are tokens.
  ///
  /// Not included: identifiers (`id`, `sid`, `client_id`, `AccessKeyId`), the plurals of `token` and `key` (counts, and sets of
  /// public keys), `state` and `nonce`, which are useless to others, and private data that is not a credential, such as card
  /// numbers. A cursor such as `pageToken` cannot be distinguished from a token, and is redacted.
  public static let usualEndings: Set<String> = [
    "token", "secret", "secrets", "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd",
    "key", "apikeys", "otp", "jwt", "bearer", "credential", "credentials", "cookie", "cookies",
    "session", "sessionid", "sessid", "auth", "authorization", "signature", "sig", "hmac",
    "codeverifier", "assertion", "csrf", "xsrf",
  ]

  /// Names that are secret by default, compared whole: as endings they would match `statusCode` and `mapPin`.
  public static let usualNames: Set<String> = ["code", "pin"]

  /// Endings of names that are not secret although a shorter ending is. `Idempotency-Key` and `Sec-WebSocket-Key` identify a
  /// request or handshake, and the target of a redirect needs them; the others belong to caches, tables and public-key
  /// cryptography.
  public static let harmlessEndings: Set<String> = [
    "idempotencykey", "websocketkey", "surrogatekey", "cachekey", "publickey", "primarykey", "foreignkey", "sortkey",
    "partitionkey", "routingkey",
  ]

  /// Suffixes after which a secret name stays secret: a repetition, a hint, or a version (`v` and digits), as in
  /// `password_confirmation` and `token_v2`. Only one such suffix is removed.
  ///
  /// Suffixes that make it another thing are not included: `token_type`, `key_id`, `token_expires_in`, `password_length`.
  public static let repeatingEndings: Set<String> = ["confirmation", "confirm", "verify", "again", "repeat", "hint", "v"]
}
