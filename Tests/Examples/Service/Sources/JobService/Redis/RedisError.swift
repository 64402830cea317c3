/// The error of a command of Redis.
enum RedisError: Error, Equatable {
  /// There is no connection, or the connection broke. The command may have been run.
  case unavailable(String)
  /// The reply did not come in time. The command may have been run.
  case timeout
  /// Too many commands wait for a reply.
  case busy
  /// Redis has refused the command.
  case refused(String)
  case malformedReply
}
