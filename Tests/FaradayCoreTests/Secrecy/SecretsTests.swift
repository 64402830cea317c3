import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct SecretsTests {
  @Test(arguments: [
    ("http://user:password@host/path?token=a&b=c#token=d", "http://host/path?token=[secret]&b=c"),
    ("http://host?TOKEN=a&%74oken=b&token&x=token", "http://host?TOKEN=[secret]&%74oken=[secret]&token&x=token"),
    ("http://host/@a:b", "http://host/@a:b"), ("http://host?", "http://host?"), ("path?key=1", "path?key=[secret]"),
    ("//u@h/", "//h/"), ("http://a@b@h/", "http://h/"), ("/@me?to=a@b", "/@me?to=a@b"), ("http://h//u@g", "http://h//u@g"),
    ("http://h/x?next=http://u:p@g/&a=b@c", "http://h/x?next=[secret]&a=b@c"),
    ("http://h/x?next=http%3A%2F%2Fu%3Ap%40g", "http://h/x?next=[secret]"),
  ])
  func `a redacted URL has no user and no secrets`(url: String, shown: String) throws {
    #expect(Secrets().redacting(try #require(URL(string: url))) == shown)
  }

  @Test(arguments: [
    ("Location", "https://u:p@h/?token=a&b=c", "https://h/?token=[secret]&b=c"), ("Referer", "http://[", "[secret]"),
    ("Content-Location", "", ""), ("Link", "<https://u:p@h/?key=1>; rel=next", "<https://h/?key=[secret]>; rel=next"),
    ("Refresh", "5; url=/x?token=a", "5; url=/x?token=[secret]"), ("Cookie", "a=b", "[secret]"),
    ("Link", "<https://h/?q=it's&token=a>; rel=next", "<https://h/?q=it's&token=[secret]>; rel=next"),
    ("Link", "<https://h/cart;jsessionid=a'b>, <cart;token=a>", "<https://h/cart;jsessionid=[secret]>, <cart;token=[secret]>"),
    ("Link", "<https://h/?a=1;token=b>", "<https://h/?a=[secret]>"), ("Link", "<<x", "<<x"),
    ("Link", "<https://h/?\"<http://u:p@g=1>", "<[secret]>"),
    ("Link", "token=a;b=c", "token=[secret];b=c"),
    ("Refresh", "0;URL='https://h/?a=it;token=b'; x=y", "0;URL='https://h/?a=[secret]'"),
    ("Refresh", "0; url=/cb;token=b", "0; url=/cb;token=[secret]"), ("Refresh", "5", "5"), ("X-Note", "u:p@h", "u:p@h"),
  ])
  func `a redacted field has no secrets`(name: String, value: String, shown: String) throws {
    #expect(Secrets().redacting(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) == shown)
  }

  // MARK: names

  @Test(arguments: [
    "X-Api-Key", "x_api_key", "apiKey", "APIKEY2", "X-Auth-Token", "accessToken", "ID_TOKEN", "clientSecret", "newPassword",
    "db.passwd", "PWD", "smtp-pass", "pass phrase", "X-GitHub-OTP", "jwt", "awsCredentials", "JSESSIONID", "PHPSESSID",
    "session_key", "X-Hub-Signature-256", "sig", "X-Forwarded-Authorization", "Set-Cookie", "_csrf", "code_verifier", "code",
    "PIN", "user[password]", "token[]", "secret[0][value]", "device_code", "user_code", "authorization_code", "oauth_verifier",
    "pw", "new_pw", "recovery_code", "recovery_codes", "backup_code", "backupCodes[]", "SAMLResponse", "ticket", "DPoP",
    "Authentication-Info", "Proxy-Authentication-Info",
  ])
  func `the usual names of credentials are secret in any spelling`(name: String) {
    #expect(Secrets().contains(name))
  }

  @Test(arguments: [
    "", "2024", "id", "page", "status_code", "mapPin", "max_tokens", "keyboard", "tokenizer", "Idempotency-Key",
    "Sec-WebSocket-Key",
    "stripeIdempotencyKey", "public_key", "Primary-Key", "Surrogate-Key", "AWSAccessKeyId", "X-Request-ID", "author", "ETag",
    "passenger", "WWW-Authenticate", "user[name]", "Access-Control-Allow-Credentials", "DPoP-Nonce", "dpop_jkt", "SAMLRequest",
    "RelayState", "ticket_id", "support_ticket", "postal_code", "http_code", "backup", "recovery",
  ])
  func `other names are not secret`(name: String) { #expect(!Secrets().contains(name)) }

  @Test(arguments: [
    "password_confirmation", "passwordConfirm", "confirm_password", "password2", "password_again", "new-password-repeat",
    "passwd_verify", "token_v2", "tokenV10", "id_token_hint", "api_key_2", "apiKeyV2", "password_1_confirmation",
    "pin_confirmation",
    "password_confirmation_2", "user[password_confirmation]", "users[0][pin_again]", "X-Auth-Token-V2",
  ])
  func `repeated, versioned and hinted names of secrets are secret`(name: String) {
    #expect(Secrets().contains(name))
  }

  @Test(arguments: [
    "token_type", "token_count", "token_expires_in", "passwordless", "expires_in", "key_id", "key_v2_id", "idempotency_key_v2",
    "v2", "v", "confirmation", "hint", "user_v2", "email_confirmation", "zip_code_hint", "env", "repeat", "verify",
  ])
  func `a secret word inside another name is not secret`(name: String) {
    #expect(!Secrets().contains(name))
  }

  @Test func `a suffix can be declared not secret, even after a secret word`() {
    var secrets = Secrets()
    secrets.remove(ending: "hint")
    secrets.remove("token_v2")
    #expect(!secrets.contains("id_token_hint") && !secrets.contains("TokenV3") && secrets.contains("key_v2"))
    #expect(secrets.contains("password_confirmation") && !Secrets.none.contains("password_confirmation"))
    let long = String(repeating: "hint", count: 100_000)
    #expect(Secrets().contains("token_hint") && !Secrets().contains("token_" + long))
  }

  @Test func `an inserted name is secret exactly, and an inserted suffix at any end`() throws {
    var secrets = Secrets()
    secrets.insert("id", "X-Own")
    secrets.insert(ending: "handle")
    #expect(secrets.contains("ID") && secrets.contains("x_own") && !secrets.contains("user_id"))
    #expect(secrets.contains("handle") && secrets.contains("userHandle") && !secrets.contains("handles"))
    #expect(secrets.redacting(try HTTPField(checking: "X-OWN", "1")) == "[secret]")
    #expect(secrets.redacting(try HTTPField(checking: "X-Other", "1")) == "1")
    #expect(secrets.redacting(query: "i_d=1&id%32=2&ids=3") == "i_d=[secret]&id%32=[secret]&ids=3")
  }

  @Test func `names and suffixes can be removed from the secrets`() {
    var secrets = Secrets()
    secrets.remove("next_page_token", "code")
    secrets.remove(ending: "key")
    #expect(!secrets.contains("nextPageToken") && !secrets.contains("code") && secrets.contains("token"))
    #expect(!secrets.contains("X-Api-Key") && secrets.contains("session"))
    secrets.insert(ending: "apikey")
    secrets.insert("code")
    #expect(secrets.contains("X-Api-Key") && !secrets.contains("sort_key") && secrets.contains("code"))
    secrets.remove("user[password]")
    #expect(!secrets.contains("user[password]") && secrets.contains("user[password][0][token]"))
    #expect(!Secrets.none.contains("password"))
  }

  // MARK: paths

  @Test(arguments: [
    ("/bot123:A/send", "/bot[secret]/send"), ("/v2//bot1", "/v2//bot[secret]"), ("/%62OT1/", "/bot[secret]/"),
    ("/bot", "/bot"), ("/robot1/x", "/robot1/x"), ("/bot1/bot2/", "/bot[secret]/bot[secret]/"),
    ("/hooks/T1/B2.json/x", "/hooks/[secret]/[secret].json/x"), ("/hooks//T1/B2.JSON", "/hooks//[secret]/[secret].json"),
    ("/hooks/T1/B2.xml", "/hooks/T1/B2.xml"), ("/hooks/T1", "/hooks/T1"), ("/x%2Fbot1", "/x%2Fbot1"), ("", ""),
  ])
  func `path components are secret where a template says so`(path: String, shown: String) throws {
    var secrets = Secrets()
    secrets.insert(path: "/bot{token}/")
    secrets.insert(path: "hooks/{team}/{hook}.json")
    #expect(secrets.redacting(try #require(URL(string: "http://h" + path + "?a=1"))) == "http://h" + shown + "?a=1")
    secrets.remove(path: "/bot{token}/")
    secrets.remove(path: "/hooks/{team}/{hook}.json")
    #expect(secrets.redacting(try #require(URL(string: "http://h" + path))) == "http://h" + path)
  }

  @Test(arguments: ["", "/", "plain", "/a/b", "}{", "{"])
  func `a template without a placeholder hides nothing`(template: String) throws {
    var secrets = Secrets()
    secrets.insert(path: template)
    #expect(secrets.redacting(try #require(URL(string: "http://h/plain/a/b"))) == "http://h/plain/a/b")
  }

  // MARK: where they are

  @Test func `a separator counts before any character`() {
    #expect(Secrets().redacting(query: "a=1&\u{301}b=2&token=\u{301}x&\u{301}") == "a=1&\u{301}b=2&token=[secret]&\u{301}")
  }

  @Test(arguments: ["abc", "Key\tabc", ""])
  func `redacted credentials show only their scheme`(value: String) { #expect("\(Credentials(value))" == "[secret]") }

  @Test func `the connection's registry stays with its requests, even with replaced options`() throws {
    var connection = Connection(adapter: MockAdapter())
    connection.secrets.insert("own")
    connection.secrets.remove(ending: "token")
    let request = try connection.request(.get, "http://host/?own=1&token=2") { $0.options = Options() }
    #expect("\(request)" == "GET http://host/?own=[secret]&token=2 (1 header, 0 bytes)")
    let anew = try connection.request(.get, "http://host/") { $0 = try Request("http://other/?own=1&token=2") }
    #expect("\(anew)" == "GET http://other/?own=[secret]&token=2 (0 headers, 0 bytes)")
  }

  @Test func `a request can have its own secrets`() throws {
    var request = try Request("http://host/?own=1&key=2")
    request.markSecret("OWN")
    #expect("\(request)" == "GET http://host/?own=[secret]&key=[secret] (0 headers, 0 bytes)")
    #expect(!request.isCrossOrigin)
  }

  @Test(arguments: [
    ("http://host/a;jsessionid=hunter2/b;v=1", "http://host/a;jsessionid=[secret]/b;v=1"),
    ("http://host/?to=https://h/cb?access_token=hunter2", "http://host/?to=[secret]"),
    ("http://host/?to=https%3A%2F%2Fh%2Fcb%3Faccess_token%3Dhunter2", "http://host/?to=[secret]"),
    ("http://host/?to=https%3A%2F%2Fh%2Fcb%23access_token%3Dhunter2", "http://host/?to=[secret]"),
    ("http://host/?next=/cb?access_token=hunter2", "http://host/?next=[secret]"),
    ("http://host/?next=%2Fcb%3Fa%3D1%26access_token%3Dhunter2", "http://host/?next=[secret]"),
    ("http://host/?next=%2Fcb%23token%3Dhunter2", "http://host/?next=[secret]"),
    ("http://host/?to=https%3A%2F%2Fh%2Fcart%3Bjsessionid%3Dhunter2", "http://host/?to=[secret]"),
    ("http://host/?a=1;token=hunter2&b", "http://host/?a=[secret]&b"),
    ("http://host/?a=1;b=2&to=https://h/?c=3&d=%3B", "http://host/?a=1;b=2&to=https://h/?c=3&d=%3B"),
  ])
  func `secrets in segment parameters, semicolon items and nested URLs are found`(url: String, shown: String) throws {
    #expect(Secrets().redacting(try #require(URL(string: url))) == shown)
  }
}
