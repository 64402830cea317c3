import Faraday
import FaradayTesting
import Foundation
import TestSupport
import Testing

@testable import FaradayStreams

/// Files of other users at the paths of the part and its record.
@Suite struct DownloadNeighborTests {
  @Test(arguments: ["file.part", "file.part.json", "FILE.PART", ".part"])
  func `a name reserved for unfinished downloads is refused before anything is sent`(name: String) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    let error = await failure {
      _ = try await file.connection.download("other", to: file.folder + "/" + name, policy: file.policy)
    }
    #expect(error.map(reason) == .reservedName)
    #expect(error.map { "\($0)".contains("unfinished downloads") } == true)
    #expect(file.sent.count == 1 && file.names == ["file.part", "file.part.json"])
    file.rest(from: 300)
    #expect(try await file.download().resumed == 300)
  }

  @Test func `a destination that another download of the list has is refused in any spelling`() async throws {
    let folder = try TemporaryFolder()
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, body: .text($0.url.path()), url: $0.url) }
    let names = ["x", "y", "x", "./x", "/y", "../\(folder.path.split(separator: "/").last ?? "")/y"]
    let items = names.enumerated().map { DownloadItem("\($0.offset)", to: folder.path + "/" + $0.element) }
    for limit in [1, 6] {
      let results = try await Connection("http://host/", adapter: mock).downloads(items, maximumConcurrent: limit)
      for (index, result) in results.enumerated() {
        #expect(await failure { _ = try result.get() }.flatMap(reason) == (index < 2 ? nil : .inUse), "\(names[index])")
      }
    }
    #expect(mock.recorded.count == 4 && folder.names == ["x", "y"])
    #expect(FileManager.default.contents(atPath: folder.path + "/x") == Data("/0".utf8))
  }

  @Test(.enabled(if: geteuid() == 0, "only root gives files away"), arguments: [true, false])
  func `another user's part or record is not resumed, and is replaced`(isPart: Bool) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    try #require(chown(isPart ? file.part : file.record, 65534, 65534) == 0)
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, nil] && file.written == file.bytes && file.names == ["file"])
    var found = stat()
    #expect(stat(file.destination, &found) == 0 && found.st_uid == geteuid())
  }

  @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
  func `a part of the folder's owner is resumed, because the owner could replace it anyway`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    for path in [file.folder, file.part, file.record] { try #require(chown(path, 65534, 65534) == 0) }
    file.rest(from: 300)
    #expect(try await file.download().resumed == 300)
    #expect(file.written == file.bytes)
  }

  @Test func `an unwritable record prevents resuming and not the download`() async throws {
    let file = try MockedFile()
    try FileManager.default.createDirectory(atPath: file.record + "/inside", withIntermediateDirectories: true)
    file.whole(cut: 300)
    file.whole()
    #expect(try await file.download().size == 1000)
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test(arguments: [0o620, 0o602] as [mode_t])
  func `a record that others can write is ignored`(mode: mode_t) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    try #require(chmod(file.record, mode) == 0)
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `a record that is a symbolic link is not followed`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    let other = file.folder + "/other"
    rename(file.record, other)
    let contents = FileManager.default.contents(atPath: other)
    try FileManager.default.createSymbolicLink(atPath: file.record, withDestinationPath: other)
    file.whole(cut: 400)
    file.rest(from: 400)
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, nil, "bytes=400-"] && file.written == file.bytes && file.names == ["file", "other"])
    #expect(FileManager.default.contents(atPath: other) == contents)
  }

  @Test func `a pipe in place of the record does not block`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    unlink(file.record)
    try #require(mkfifo(file.record, 0o600) == 0)
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.written == file.bytes && file.names == ["file"])
  }

  @Test func `a pipe or a folder in place of the part is an error and stays`() async throws {
    for isPipe in [true, false] {
      let file = try MockedFile()
      try #require((isPipe ? mkfifo(file.part, 0o600) : mkdir(file.part, 0o700)) == 0)
      let error = await failure { _ = try await file.download() }
      #expect(error.flatMap(reason) == .fileFailed("the part file is not a regular file"))
      #expect(file.sent.isEmpty && file.names == ["file.part"])
    }
  }

  @Test(arguments: [235, 240, 250, 255], ["x", "é"])
  func `a name of the maximum length can be resumed`(count: Int, character: String) async throws {
    let file = try MockedFile()
    let name = String((String(repeating: character, count: count / character.utf8.count) + "x").utf8.prefix(count)) ?? ""
    try #require(name.utf8.count == count)
    let destination = file.folder + "/" + name
    file.whole(cut: 300)
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    var once = file.policy
    once.retries = 1
    _ = await failure { _ = try await file.connection.download("file", to: destination, policy: once) }
    #expect(file.names.count == 2)
    file.rest(from: 300)
    #expect(try await file.connection.download("file", to: destination, policy: file.policy).resumed == 300)
    #expect(file.names == [name] && FileManager.default.contents(atPath: destination) == file.bytes)
  }

  @Test func `long names with a common prefix have separate parts`() async throws {
    let file = try MockedFile()
    let names = ["a", "b"].map { String(repeating: "x", count: 249) + $0 }
    for name in names {
      file.whole(cut: 300)
      var once = file.policy
      once.retries = 0
      _ = await failure { _ = try await file.connection.download("file", to: file.folder + "/" + name, policy: once) }
    }
    #expect(file.names.count == 4)
  }
}
