extension Secrets {
  /// The endings of credential names that are secret by default.
  ///
  /// - `key` includes API, account and private keys; the endings in ``harmlessEndings`` are excepted.
  /// - `session` and the like are complete logins; so are signatures, as a signed URL works for anyone.
  /// - `codeverifier`, `oauthverifier` and `assertion` are OAuth proofs (RFC 7636, RFC 5849, RFC 7521), and `devicecode`, `usercode`
  ///   and `authorizationcode` are exchanged for tokens (RFC 8628, RFC 6749); `csrf` and `xsrf` are tokens.
  /// - `recoverycode` and `backupcode` replace a second factor. `samlresponse` is a login.
  /// - `authenticationinfo` is the field of RFC 9110, section 11.6.3, which has a proof of the password's knowledge in Digest.
  ///
  /// Not included: identifiers (`id`, `sid`, `client_id`, `AccessKeyId`), the plurals of `token` and `key` (counts, and sets of
  /// public keys), `state` and `nonce`, which are useless to others, and private data that is not a credential, such as card
  /// numbers. `DPoP-Nonce` is one of these. A cursor such as `pageToken` cannot be distinguished from a token, and is redacted.
  public static let usualEndings: Set<String> = [
    "token", "secret", "secrets", "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd", "pw",
    "key", "apikeys", "otp", "jwt", "bearer", "credential", "credentials", "cookie", "cookies",
    "session", "sessionid", "sessid", "auth", "authorization", "signature", "sig", "hmac",
    "codeverifier", "oauthverifier", "assertion", "csrf", "xsrf", "devicecode", "usercode", "authorizationcode",
    "recoverycode", "recoverycodes", "backupcode", "backupcodes", "samlresponse", "authenticationinfo",
  ]

  /// Names that are secret by default, compared whole: as endings they would match `statusCode`, `mapPin` and `supportTicket`.
  /// `DPoP` is the proof of RFC 9449, and `ticket` that of CAS.
  public static let usualNames: Set<String> = ["code", "pin", "ticket", "dpop"]

  /// Endings of names that are not secret although a shorter ending is. `Idempotency-Key` and `Sec-WebSocket-Key` identify a
  /// request or handshake, and the target of a redirect needs them; `Access-Control-Allow-Credentials` is a flag; the others belong
  /// to caches, tables and public-key cryptography.
  public static let harmlessEndings: Set<String> = [
    "idempotencykey", "websocketkey", "surrogatekey", "cachekey", "publickey", "primarykey", "foreignkey", "sortkey",
    "partitionkey", "routingkey", "allowcredentials",
  ]

  /// Suffixes after which a secret name stays secret: a repetition, a hint, or a version (`v` and digits), as in
  /// `password_confirmation` and `token_v2`. Only one such suffix is removed.
  ///
  /// Suffixes that make it another thing are not included: `token_type`, `key_id`, `token_expires_in`, `password_length`.
  public static let repeatingEndings: Set<String> = ["confirmation", "confirm", "verify", "again", "repeat", "hint", "v"]
}
