import FaradayCore
import FaradayStreams
import FoundationEssentials
import Testing

/// RFC 8288.
@Suite struct ResponseLinksTests {
  private func links(_ fields: String...) throws -> [Response.Link] {
    var headers = HTTPFields()
    for field in fields { headers.append(HTTPField(name: .link, value: field)) }
    return Response(status: .ok, headers: headers, url: try #require(URL(string: "https://api.test/v2/users?page=1"))).links
  }

  @Test(arguments: ["", "next", "<", "<?page=2", "rel=next", ",,;", "\u{301}"])
  func `malformed links are left out`(field: String) throws {
    #expect(try links(field).isEmpty)
  }

  @Test(arguments: ["http://user@example.com:80@host/", "http://@@host/", "//a@b@host/"])
  func `a link with an unescaped @ in its userinfo is skipped, as its host is ambiguous`(target: String) throws {
    #expect(try links("<\(target)>; rel=next").isEmpty)
  }

  @Test func `targets are resolved, and relations are case-insensitive`() throws {
    let links = try links(
      #"<?page=2>; rel="Next last"; title="a, \"b\"; c", </v2/users>;REL=first , <https://other.test/x> ; rel = prev"#,
      "<page/3>; rel=item; type=text/html; flag; rel=next")
    #expect(
      links.map(\.url.absoluteString) == [
        "https://api.test/v2/users?page=2", "https://api.test/v2/users", "https://other.test/x", "https://api.test/v2/page/3",
      ])
    #expect(links.map(\.relations) == [["next", "last"], ["first"], ["prev"], ["item"]])
    #expect(links[0].parameters == ["title": #"a, "b"; c"#] && links[3].parameters == ["type": "text/html", "flag": ""])
    #expect(links["NEXT"] == links[0] && links["last"] == links[0] && links["up"] == nil)
  }

  @Test func `an empty target is the URL of the response`() throws {
    let fragment = Response(
      status: .ok, headers: [.link: "<>; rel=self, <#top>; rel=start"],
      url: try #require(URL(string: "https://api.test/v2/users?page=1#here")))
    #expect(
      fragment.links.map(\.url.absoluteString)
        == ["https://api.test/v2/users?page=1", "https://api.test/v2/users?page=1#top"])
    #expect(try links("<>; rel=self")["self"]?.url.absoluteString == "https://api.test/v2/users?page=1")
  }

  @Test func `a link with an anchor is not a link of the response`() throws {
    let links = try links(#"<?page=9>; rel="next"; anchor="/other", <?page=2>; rel="next""#)
    #expect(links.count == 2 && links["next"]?.url.absoluteString == "https://api.test/v2/users?page=2")
  }

  @Test func `an unterminated quotation ends with its field`() throws {
    #expect(try links(#"<?page=2>; rel="next, <?page=3>; rel=last"#).map(\.relations) == [["next,", "<?page=3>;", "rel=last"]])
  }
}
