/// A user and password.
struct Login: Sendable, Equatable {
  let user: String
  let password: String

  init(user: String, password: String) { (self.user, self.password) = (user, password) }

  /// From `user:password`; the first colon parts them.
  init(_ text: String) {
    let user = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    self.user = String(decoding: user, as: UTF8.self)
    password = String(decoding: text.utf8.dropFirst(user.count + 1), as: UTF8.self)
  }
}
