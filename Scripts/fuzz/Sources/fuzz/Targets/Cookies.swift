import Faraday
@testable import FaradayMiddleware
import Foundation

extension Target {
  /// Whatever a host sets: what is kept is within the rules, goes to that host and nobody else, and survives a file.
  ///
  /// The first line is the URL, the others are `Set-Cookie` fields that come from there.
  static let cookies = Target("cookies") { input in
    let lines = input.lines
    guard let url = URL(string: lines.text(0)), let host = url.host()?.lowercased() else { return }
    let jar = emptyJar()
    for number in lines.indices.dropFirst() {
      let field = lines.text(number)
      checkSplit(field)
      do throws(CookieError) { try jar.receive(field, from: url) } catch { check(error) }
    }
    let kept = jar.cookies
    guard !kept.isEmpty else { return }
    expect(kept.count <= limits.total, "\(kept.count) cookies are kept")
    for cookie in kept { check(cookie, from: url, host) }
    checkHeader(jar, for: url)
    if host != "stranger.test" && !host.hasSuffix(".test"), let stranger = URL(string: "https://a.stranger.test/") {
      expectEqual(jar.header(for: stranger), nil, "what a stranger gets")
    }
    // A file costs more than all the rest.
    if input.bytes.count % 4 == 0 { checkFiles(jar) }
  }

  private static let limits = CookieJar.Limits(perDomain: 3, total: 5)
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static func emptyJar() -> CookieJar { CookieJar(limits: limits, now: { now }) }

  private static func check(_ cookie: Cookie, from url: URL, _ host: String) {
    let description = cookie.description
    expect(cookie.name.utf8.count + cookie.value.utf8.count <= 4096, "too long: \(description)")
    // The limit is that of the attribute: a default path is as long as the URL's.
    let longest = max(1024, url.path(percentEncoded: true).utf8.count)
    expect(cookie.path.utf8.first == UInt8(ascii: "/") && cookie.path.utf8.count <= longest, "no path: \(description)")
    expect(!cookie.isSecure || url.scheme?.lowercased() == "https", "not from https: \(description)")
    if let expires = cookie.expires {
      expect(expires > now && expires <= now.addingTimeInterval(400 * 86_400), "kept too long: \(description)")
    }
    // Of other hosts the form that cookies go by is another one.
    if host.utf8.allSatisfy({ isHostByte($0) }) {
      expect(host == cookie.domain || !cookie.isHostOnly && host.hasSuffix("." + cookie.domain), "\(host) has \(description)")
    }
    expect(cookie.isHostOnly || cookie.domain.contains("."), "for a whole suffix: \(description)")
    // What a short value is equal to in the rest of a description says nothing about it: `eSite=None`.
    var other = cookie
    other.value = ""
    let isShort = cookie.value.utf8.count < 8 || other.description.contains(cookie.value)
    expect(isShort || !description.contains(cookie.value), "the value is shown")
    expect(
      isShort || !"\(String(reflecting: cookie)) \(Mirror(reflecting: cookie).children)".contains(cookie.value), "it is shown")
  }

  private static func check(_ rejected: CookieError) {
    expect(rejected.name.utf8.count <= 512, "the name in an error has \(rejected.name.utf8.count) bytes")
    expect(!rejected.description.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "an error has a control character in it")
  }

  private static func checkHeader(_ jar: CookieJar, for url: URL) {
    var sent = jar.cookies(for: url)
    let field = { sent.map { $0.name.isEmpty ? $0.value : $0.name + "=" + $0.value }.joined(separator: "; ") }
    // The last ones have no room if all are as long as a cookie can be.
    while "Cookie: ".utf8.count + field().utf8.count > limits.bytesPerRequest { sent.removeLast() }
    let header = jar.header(for: url)
    expectEqual(header ?? "", field(), "the field")
    guard let header else { return }
    expect(!header.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }, "a control character is sent")
    expectEqual(header.utf8.split(separator: UInt8(ascii: ";")).count, sent.count, "how many a server reads")
    expect(sent.allSatisfy { !$0.isSecure || url.scheme?.lowercased() == "https" }, "one for https is sent in clear")
  }

  private static func checkFiles(_ jar: CookieJar) {
    let kept = jar.cookies
    for form in [CookieFile.netscape, .json] {
      let copy = emptyJar()
      do {
        let reading = try copy.read(jar.data(as: form), as: form)
        expectEqual(reading.rejected, [], "what is rejected of a file of one's own")
      } catch {
        fatalError("a file of one's own cannot be read: \(error)")
      }
      // What `cookies.txt` has no place for.
      let isWhole = form == .json
      let expected = kept.filter { isWhole || !($0.name + $0.path).utf8.contains(0x09) }.map { Essence($0, isWhole: isWhole) }
      expectEqual(copy.cookies.map { Essence($0, isWhole: isWhole) }, expected, "what is read of \(form)")
    }
  }

  /// A cookie without what a file does not keep.
  private struct Essence: Equatable, CustomStringConvertible {
    var cookie: Cookie

    init(_ cookie: Cookie, isWhole: Bool) {
      self.cookie = cookie
      if isWhole { return }
      self.cookie.sameSite = nil
      self.cookie.created = now
      self.cookie.lastUsed = now
    }

    var description: String { "\(cookie) \(cookie.value.debugDescription)" }
  }

  /// Whatever is taken apart, nothing is lost or made up.
  private static func checkSplit(_ field: String) {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let joined = Array(SetCookieFields.split(Array(field.utf8)).joined(separator: ",".utf8))
    expectEqual(joined.filter { !isBlank($0) }, field.utf8.filter { !isBlank($0) }, "joined again")
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
