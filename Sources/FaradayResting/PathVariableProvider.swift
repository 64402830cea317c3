public import FaradayCore

/// Says what stands in the places of every path of a client, unless the request says so itself.
public protocol PathVariableProvider: Sendable {
  /// Asked with each request; what it throws, the call throws, and nothing is sent.
  var variables: [String: any ParameterValue] { get throws }
}

/// Path variables that are asked for with each request, and that may be added and removed at any time, from any thread.
///
///     let variables = RestingPathVariableProvider()
///     variables.add("version", 2)
///     variables.add("tenant") { session.tenant }
public final class RestingPathVariableProvider: PathVariableProvider {
  private let provided = ProvidedValues<any ParameterValue>()

  public init() {}

  /// Gives every path a value; another of its name goes.
  public func add(_ name: String, _ value: any ParameterValue) { add(name) { value } }

  /// Gives every path what the closure returns at the time, or nothing if that is nil: a path with that variable is then an
  /// error.
  public func add(_ name: String, provider: @escaping @Sendable () throws -> (any ParameterValue)?) {
    provided.add(name, provider) { $0 == name }
  }

  /// Paths have the value no more, unless from the request.
  public func remove(_ name: String) { provided.remove { $0 == name } }

  /// The values. Throws what a closure throws.
  public var variables: [String: any ParameterValue] {
    get throws { Dictionary(try provided.values) { $1 } }
  }
}
