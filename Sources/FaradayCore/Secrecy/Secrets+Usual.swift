extension Secrets {
  /// What the names of credentials end in.
  ///
  /// - `key` takes in keys of APIs, of accounts and private ones; those that are no secret are in ``harmlessEndings``.
  /// - `session` and its kin are whole logins; so are signatures, since a signed URL can be used by whoever has it.
  /// - `codeverifier` and `assertion` are what OAuth proves itself with (RFC 7636, RFC 7521); `csrf` and `xsrf` are tokens under
  ///   another name.
  ///
  /// Not here: identifiers (`id`, `sid`, `client_id`, `AccessKeyId`), plurals of `token` and `key` (counts, and sets of public
  /// keys), `state` and `nonce`, which are of use to nobody else, and what is private without being a credential, such as the
  /// number of a card. A cursor such as `pageToken` cannot be told from a token.
  public static let usualEndings: Set<String> = [
    "token", "secret", "secrets", "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd",
    "key", "apikeys", "otp", "jwt", "bearer", "credential", "credentials", "cookie", "cookies",
    "session", "sessionid", "sessid", "auth", "authorization", "signature", "sig", "hmac",
    "codeverifier", "assertion", "csrf", "xsrf",
  ]

  /// Whole names of secrets that, as endings, would take in what is none: `statusCode`, `mapPin`.
  public static let usualNames: Set<String> = ["code", "pin"]

  /// Endings of names that are no secret although a shorter ending of them is. `Idempotency-Key` and `Sec-WebSocket-Key` say
  /// which request or handshake it is, and a server that is redirected to needs them; the others name things in caches, tables
  /// and public cryptography.
  public static let harmlessEndings: Set<String> = [
    "idempotencykey", "websocketkey", "surrogatekey", "cachekey", "publickey", "primarykey", "foreignkey", "sortkey",
    "partitionkey", "routingkey",
  ]

  /// What stands behind the name of a secret where it is the same one once more, a reminder of it, or another version (`v`, with its
  /// digits): such a name is as secret as what is before it, if no ending of the whole says otherwise. One of them, not several.
  ///
  /// Words that make something else of it are not here: `token_type`, `key_id`, `token_expires_in`, `password_length`.
  public static let repeatingEndings: Set<String> = ["confirmation", "confirm", "verify", "again", "repeat", "hint", "v"]
}
