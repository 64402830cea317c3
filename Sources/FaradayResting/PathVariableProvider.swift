public import FaradayCore

/// Provides default values for the path variables of a client's requests; a request's own values override them.
public protocol PathVariableProvider: Sendable {
  /// Read for each request, concurrently. An error is thrown by the call, and nothing is sent.
  var variables: [String: any ParameterValue] { get throws }
}

/// A mutable set of path variables, with fixed values or closures that are called for each request. Thread-safe.
///
///     let variables = RestingPathVariableProvider()
///     variables.add("version", 2)
///     variables.add("tenant") { session.tenant }
public final class RestingPathVariableProvider: PathVariableProvider {
  private let provided = ProvidedValues<any ParameterValue>()

  /// A provider without variables.
  public init() {}

  /// Sets the value of a variable, replacing one of the same name.
  public func add(_ name: String, _ value: any ParameterValue) { add(name) { value } }

  /// Sets a variable to what the closure returns for each request; nil is no value: a path with that variable throws
  /// ``FaradayCore/InvalidPath`` then.
  public func add(_ name: String, provider: @escaping @Sendable () throws -> (any ParameterValue)?) {
    provided.add(name, provider) { $0 == name }
  }

  /// Removes the variable.
  public func remove(_ name: String) { provided.remove { $0 == name } }

  /// The current values. Throws what a closure throws.
  public var variables: [String: any ParameterValue] {
    get throws { Dictionary(try provided.values) { $1 } }
  }
}
