import Faraday
import FaradaySupport
import FaradayTesting
import Foundation
import Synchronization
import Testing

@testable import FaradayStreams

/// Errors of the file, of its folder, and of existing files.
@Suite struct DownloadFileTests {
  @Test(
    arguments: [
      ("", .invalidPath), ("a\0b", .invalidPath), ("/", .isFolder), ("sub", .isFolder), ("sub/", .isFolder),
      ("missing/file", .missingFolder), ("there/file", .missingFolder), (String(repeating: "x", count: 300), .invalidPath),
    ] as [(String, DownloadError.Reason)])
  func `an invalid destination is refused before anything is sent`(
    name: String, expected: DownloadError.Reason
  ) async throws {
    let file = try MockedFile()
    try FileManager.default.createDirectory(atPath: file.folder + "/sub", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: file.folder + "/there"))
    let destination = name.isEmpty || name == "/" ? name : file.folder + "/" + name
    let error = await failure { _ = try await file.connection.download("file", to: destination, policy: file.policy) }
    #expect(error.map(reason) == expected)
    #expect(file.sent.isEmpty && file.names == ["sub", "there"])
  }

  @Test func `a system error becomes a reason`() {
    #expect(DownloadError.reason(errno: ENOSPC) == .noSpace(needed: nil, free: nil))
    #expect(DownloadError.reason(errno: EACCES) == .notPermitted)
    #expect(DownloadError.reason(errno: EROFS) == .notPermitted)
    #expect(DownloadError.reason(errno: EISDIR) == .isFolder)
    #expect(DownloadError.reason(errno: EIO) == .fileFailed("Input/output error"))
  }

  @Test func `an unwritable folder is an error`() async throws {
    let file = try MockedFile()
    // Not even for the administrator.
    let error = await failure { _ = try await file.connection.download("file", to: "/proc/self/file", policy: file.policy) }
    #expect(error is DownloadError && file.sent.isEmpty)
  }

  @Test func `an existing file is kept if requested`() async throws {
    let file = try MockedFile()
    try Data("old".utf8).write(to: URL(fileURLWithPath: file.destination))
    var policy = file.policy
    policy.existing = .fail
    let error = await failure { _ = try await file.download(policy: policy) }
    #expect(error.map(reason) == .fileExists)
    #expect(file.sent.isEmpty && file.written == Data("old".utf8) && file.names == ["file"])
  }

  @Test func `the part of an earlier download is kept with the existing file`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    try Data("old".utf8).write(to: URL(fileURLWithPath: file.destination))
    var policy = file.policy
    policy.existing = .fail
    #expect(await failure { _ = try await file.download(policy: policy) }.map(reason) == .fileExists)
    #expect(file.names == ["file", "file.part", "file.part.json"])
  }

  @Test func `a download that fails before its first byte leaves nothing`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 0)
    #expect(file.names == [])
  }

  @Test func `the record of another version is removed before the first byte of the new one`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    let names = Log<[String]>()
    file.answer { [bytes = file.bytes, folder = file.folder] in
      let next = Mutex<Data?>(bytes)
      let body = AsyncStream<Data>(unfolding: {
        names.append((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        return next.withLock { $0.take() }
      })
      return Response(status: .ok, body: .stream(body, length: 1000), url: $0.url)
    }
    _ = try await file.download()
    #expect(names.elements.allSatisfy { $0 == ["file.part"] } && !names.elements.isEmpty)
  }

  @Test func `a download that is cancelled after its last byte does not replace the file`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] in
      let next = Mutex<Data?>(bytes)
      let body = AsyncStream<Data>(unfolding: {
        let piece = next.withLock { $0.take() }
        if piece == nil { withUnsafeCurrentTask { $0?.cancel() } }
        return piece
      })
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(body, length: 1000), url: $0.url)
    }
    let task = Task { try await file.download() }
    #expect(await failure { _ = try await task.value } is CancellationError)
    #expect(file.names == ["file.part", "file.part.json"])
  }

  @Test func `a file that appears during the download is kept, and so is the part`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.existing = .fail
    file.answer { [bytes = file.bytes, destination = file.destination] in
      try Data("new".utf8).write(to: URL(fileURLWithPath: destination))
      return MockedFile.response($0, .ok, [.eTag: "\"v1\""], bytes)
    }
    let error = await failure { _ = try await file.download(policy: policy) }
    #expect(error.map(reason) == .fileExists)
    #expect(file.written == Data("new".utf8) && file.names == ["file", "file.part", "file.part.json"])
  }

  @Test func `without an existing file both policies behave alike`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.existing = .fail
    file.whole()
    _ = try await file.download(policy: policy)
    #expect(file.written == file.bytes && file.names == ["file"])
  }

  @Test func `an existing file is unchanged until the new one is complete`() async throws {
    let file = try MockedFile()
    try Data("old".utf8).write(to: URL(fileURLWithPath: file.destination))
    await file.leavePart(of: 999)
    #expect(file.written == Data("old".utf8))
    file.rest(from: 999)
    _ = try await file.download()
    #expect(file.written == file.bytes)
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o755, 0o400, 0o4750] as [mode_t])
  func `the new file has the permissions of the replaced one, without set-user-ID`(mode: mode_t) async throws {
    let file = try MockedFile()
    try Data("old".utf8).write(to: URL(fileURLWithPath: file.destination))
    try #require(chmod(file.destination, mode) == 0)
    await file.leavePart(of: 300)
    var found = stat()
    // The new file is not readable for more users than the old one, and the owner can resume.
    try #require(stat(file.part, &found) == 0)
    #expect(found.st_mode & 0o777 & ~(mode | 0o600) == 0 && found.st_mode & 0o600 == 0o600)
    file.rest(from: 300)
    _ = try await file.download()
    try #require(stat(file.destination, &found) == 0)
    #expect(found.st_mode & 0o7777 == mode & 0o777 && file.written == file.bytes)
  }

  @Test func `a replaced link passes on no permissions`() async throws {
    let file = try MockedFile()
    let other = file.folder + "/other"
    try Data().write(to: URL(fileURLWithPath: other))
    try #require(chmod(other, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: file.destination, withDestinationPath: other)
    file.whole()
    _ = try await file.download()
    let mask = umask(0)
    umask(mask)
    var found = stat()
    #expect(lstat(file.destination, &found) == 0 && found.st_mode & 0o777 == 0o666 & ~mask)
  }

  @Test func `a second download to the same file is refused, and the first continues`() async throws {
    let file = try MockedFile()
    let (arrived, release) = (Gate(), Gate())
    file.answer { [bytes = file.bytes] request in
      let isSent = Mutex(false)
      let body = AsyncStream<Data>(unfolding: {
        arrived.open()
        await release.opened()
        return isSent.withLock { isSent in
          defer { isSent = true }
          return isSent ? nil : bytes
        }
      })
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(body, length: 1000), url: request.url)
    }
    let first = Task { try await file.download() }
    await arrived.opened()
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .inUse)
    release.open()
    #expect(try await first.value.size == 1000)
    #expect(file.written == file.bytes && file.names == ["file"])
  }

  @Test func `insufficient space is detected before the body is read`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.freeSpace = 999
    file.whole()
    let error = await failure { _ = try await file.download(policy: policy) }
    #expect(error.map(reason) == .noSpace(needed: 1000, free: 999))
    #expect(file.names == [])
    policy.freeSpace = 700
    await file.leavePart(of: 300)
    file.rest(from: 300)
    #expect(try await file.download(policy: policy).size == 1000)
  }

  #if os(Linux)
  @Test func `a volume that reports no blocks is not full`() throws {
    let descriptor = open("/proc", O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(PartFile.freeSpace(of: descriptor) == nil)
  }

  /// As a process has it that is being started meanwhile.
  @Test func `the lock ends with the download even if the open file is shared`() throws {
    let folder = try TemporaryFolder()
    var part: PartFile? = try PartFile(for: folder.path + "/file")
    let files = (0..<Int32(4096)).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == part?.path
    }
    let other = dup(try #require(files.first))
    defer { close(other) }
    #expect(throws: DownloadError.self) { try PartFile(for: folder.path + "/file") }
    part = nil
    #expect(throws: Never.self) { try PartFile(for: folder.path + "/file") }
  }
  #endif

  @Test func `a file system without hard links keeps an existing file too`() throws {
    let folder = try TemporaryFolder()
    let destination = folder.path + "/file"
    func noLinks(_: UnsafePointer<CChar>, _: UnsafePointer<CChar>) -> Int32 {
      errno = EPERM
      return -1
    }
    var part = try PartFile(for: destination)
    try part.append(Data("first".utf8))
    try part.finish(replacing: false, link: noLinks)
    #expect(folder.names == ["file"] && FileManager.default.contents(atPath: destination) == Data("first".utf8))
    var found = stat()
    #expect(stat(destination, &found) == 0 && found.st_mode & 0o400 != 0 && found.st_nlink == 1)
    part = try PartFile(for: destination)
    try part.append(Data("second".utf8))
    let error = #expect(throws: DownloadError.self) { try part.finish(replacing: false, link: noLinks) }
    #expect(error?.reason == .fileExists && folder.names == ["file", "file.part"])
    #expect(FileManager.default.contents(atPath: destination) == Data("first".utf8))
  }

  @Test func `a size beyond any disk is refused`() async throws {
    let file = try MockedFile()
    file.answer { Response(status: .ok, body: .stream(AsyncStream<Data> { $0.finish() }, length: .max), url: $0.url) }
    let error = await failure { _ = try await file.download() }
    guard case .noSpace(.max, _?) = error.flatMap(reason) else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a part file that is a symbolic link is not followed`() async throws {
    let file = try MockedFile()
    let other = file.folder + "/other"
    try Data("other".utf8).write(to: URL(fileURLWithPath: other))
    try FileManager.default.createSymbolicLink(atPath: file.part, withDestinationPath: other)
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .fileFailed("the part file is not a regular file") && file.sent.isEmpty)
    #expect(FileManager.default.contents(atPath: other) == Data("other".utf8))
  }

  @Test func `a part file with a second hard link is not used`() async throws {
    let file = try MockedFile()
    try Data("whole".utf8).write(to: URL(fileURLWithPath: file.destination))
    try FileManager.default.linkItem(atPath: file.destination, toPath: file.part)
    file.status(.notFound)
    _ = await failure { _ = try await file.download() }
    #expect(file.written == Data("whole".utf8) && file.names == ["file"])
  }

  @Test func `the part of an earlier process is resumed, and all of its bytes are verified`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    #expect(file.names == ["file.part", "file.part.json"])
    file.rest(from: 300)
    let checksum = Checksum.sha256(SHA256.hash(file.bytes).hexadecimal)
    let download = try await file.download(checksum: checksum)
    #expect(download.resumed == 300 && download.verified == [.sha256] && download.response.status == .partialContent)
    #expect(file.ranges == [nil, "bytes=300-"] && file.written == file.bytes && file.names == ["file"])
  }

  @Test func `a modified part has a wrong checksum and is removed`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    try Data(repeating: 0, count: 300).write(to: URL(fileURLWithPath: file.part))
    file.rest(from: 300)
    let error = await failure { _ = try await file.download(checksum: .sha256(SHA256.hash(file.bytes).hexadecimal)) }
    guard case .checksumMismatch(.sha256, _, _) = error.flatMap(reason) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(file.names == [])
  }

  @Test(arguments: ["", "{}", "no JSON", "resource", "validator", "total", "version"])
  func `an invalid or foreign record restarts the file`(damage: String) async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    let record = try #require(FileManager.default.contents(atPath: file.record))
    var fields = try #require(JSONSerialization.jsonObject(with: record) as? [String: Any])
    #expect(fields["validator"] as? String == "\"v1\"" && fields["total"] as? Int == 1000)
    switch damage {
    case "resource": fields["resource"] = "00"
    case "validator": fields["validator"] = "W/\"v1\""
    case "total": fields["total"] = 299
    case "version": fields["version"] = 1
    default: fields = [:]
    }
    let damaged = fields.isEmpty ? Data(damage.utf8) : try JSONSerialization.data(withJSONObject: fields)
    try damaged.write(to: URL(fileURLWithPath: file.record))
    file.whole()
    #expect(try await file.download().resumed == 0)
    #expect(file.ranges == [nil, nil] && file.written == file.bytes)
  }

  @Test func `a part of another URL or without a record is not resumed`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.whole(cut: 400)
    file.rest(from: 400)
    _ = try await file.download("other")
    await file.leavePart(of: 300)
    try FileManager.default.removeItem(atPath: file.record)
    file.whole()
    _ = try await file.download()
    #expect(file.ranges == [nil, nil, "bytes=400-", nil, nil] && file.written == file.bytes)
  }

  @Test func `the record contains no secret and is private to its owner`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300, [.eTag: "\"v1\"", .setCookie: "session=SECRET"])
    var policy = file.policy
    policy.retries = 0
    _ = try? await file.download("file?token=SECRET", policy: policy, edit: { $0.headers[.authorization] = "Bearer SECRET" })
    let record = try #require(FileManager.default.contents(atPath: file.record))
    #expect(
      !String(decoding: record, as: UTF8.self).contains("SECRET") && !String(decoding: record, as: UTF8.self).contains("http"))
    var found = stat()
    #expect(stat(file.record, &found) == 0 && found.st_mode & 0o777 == 0o600)
  }

  @Test func `errors hide the URL's secrets`() async throws {
    let file = try MockedFile()
    let error = await failure {
      _ = try await file.download("file?token=SECRET", checksum: .sha256("00"), edit: { $0.method = .put })
    }
    #expect(error.map { !"\($0)".contains("SECRET") } == true)
  }

  @Test func `a file that took the part's name is neither renamed nor removed`() throws {
    let folder = try TemporaryFolder()
    let part = try PartFile(for: folder.path + "/file")
    try part.append(Data("ours".utf8))
    try Data("theirs".utf8).write(to: URL(fileURLWithPath: folder.path + "/other"))
    rename(folder.path + "/other", folder.path + "/file.part")
    #expect(throws: DownloadError.self) { try part.finish(replacing: true) }
    part.remove()
    #expect(folder.names == ["file.part"])
    #expect(FileManager.default.contents(atPath: folder.path + "/file.part") == Data("theirs".utf8))
  }

  @Test func `the remaining time is known or nil for totals of any size`() {
    let progress = DownloadProgress(bytes: .max, total: .min, resumed: 0, bytesPerSecond: 1)
    #expect(progress.timeLeft == .zero)
  }
}
