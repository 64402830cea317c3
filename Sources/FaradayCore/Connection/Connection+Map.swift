extension Connection {
  /// Calls a closure for each element of a sequence, with at most `concurrency` calls in flight, and returns their results
  /// as an asynchronous sequence.
  ///
  ///     let users = connection.map(ids, concurrency: 8) { connection, id in
  ///       try await connection.get("users/{id}", variables: ["id": id]).decode(User.self)
  ///     }
  ///     for try await user in users { … }
  ///
  /// The calls begin when the first result is read. Elements are taken one by one as results are read, so that an endless
  /// sequence works. Calls in flight and unread results together never exceed `concurrency`, so that a slow reader slows
  /// the calls down. The first error of a call is thrown as soon as it occurs, and cancels the other calls. A closure that
  /// returns errors as values (`Result`) continues with the other elements. Calls in flight are also cancelled if the
  /// reading task is cancelled, and if the reader stops early. Each iteration makes all calls again.
  ///
  /// - Parameters:
  ///   - elements: the elements, such as paths.
  ///   - concurrency: the maximum number of calls in flight, 8 by default; at least 1.
  ///   - inOrder: whether the results have the order of the elements. Otherwise each is returned as soon as it is there, so
  ///     that one slow call does not delay the others. True by default.
  ///   - transform: sends requests for one element.
  public func map<Elements: Sequence, Output: Sendable>(
    _ elements: Elements, concurrency: Int = 8, inOrder: Bool = true,
    _ transform: @escaping @Sendable (Connection, Elements.Element) async throws -> Output
  ) -> some AsyncSequence<Output, any Error> where Elements.Element: Sendable {
    ConcurrentMap(elements: elements, concurrency: max(1, concurrency), inOrder: inOrder) { try await transform(self, $0) }
  }
}

/// The results of concurrent calls of a closure for the elements of a sequence.
private struct ConcurrentMap<Elements: Sequence, Output: Sendable>: AsyncSequence
where Elements.Element: Sendable {
  typealias Element = Output
  typealias Failure = any Error

  let elements: Elements
  let concurrency: Int
  let inOrder: Bool
  let transform: @Sendable (Elements.Element) async throws -> Output

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  final class AsyncIterator: AsyncIteratorProtocol {
    private let map: ConcurrentMap
    /// Nil after its end.
    private var elements: Elements.Iterator?
    private let results = AsyncStream<(index: Int, result: Result<Output, any Error>)>.makeStream()
    private var arrivals: AsyncStream<(index: Int, result: Result<Output, any Error>)>.AsyncIterator
    /// The calls in flight, by the index of their element.
    private var calls: [Int: Task<Void, Never>] = [:]
    /// The unread results, by the index of their element.
    private var unread: [Int: Output] = [:]
    private var started = 0
    private var delivered = 0
    private var hasEnded = false

    init(_ map: ConcurrentMap) {
      self.map = map
      elements = map.elements.makeIterator()
      arrivals = results.stream.makeAsyncIterator()
    }

    deinit { for call in calls.values { call.cancel() } }

    func next() async throws -> Output? { try await next(isolation: #isolation) }

    func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
      while !hasEnded {
        guard !Task.isCancelled else {
          end()
          throw CancellationError()
        }
        start()
        if let index = map.inOrder ? delivered : unread.keys.first, let output = unread.removeValue(forKey: index) {
          delivered += 1
          return output
        }
        guard started > delivered else { break }
        guard let (index, result) = await arrivals.next(isolation: actor) else {
          end()
          throw CancellationError()
        }
        calls[index] = nil
        switch result {
        case .success(let output): unread[index] = output
        case .failure(let error):
          end()
          throw error
        }
      }
      hasEnded = true
      return nil
    }

    /// Starts as many calls as are permitted.
    private func start() {
      while started - delivered < map.concurrency, elements != nil {
        guard let element = elements?.next() else {
          elements = nil
          return
        }
        calls[started] = Task { [index = started, transform = map.transform, arrival = results.continuation] in
          let result: Result<Output, any Error>
          do { result = .success(try await transform(element)) } catch { result = .failure(error) }
          arrival.yield((index, result))
        }
        started += 1
      }
    }

    private func end() {
      hasEnded = true
      for call in calls.values { call.cancel() }
      (elements, calls, unread) = (nil, [:], [:])
    }
  }
}
