import CSQLite
import Foundation
import Signals

/// A row that a statement has returned.
public struct Row: Hashable, Sendable {
  let layout: RowLayout
  let cells: RowCells

  /// The values, in the order of the columns.
  ///
  /// - Complexity: O(*n*), because the values are created at each call.
  public var values: [SQLiteValue] { (0..<cells.count).map { cells[$0] } }

  /// The names of the columns, in order.
  public var columns: [String] { layout.names }

  /// The value of the column at an index.
  ///
  /// - Parameter index: The index, which must be less than the number of columns.
  public subscript(index: Int) -> SQLiteValue { cells[index] }

  /// The value of a column, or of the first one if several columns have the name.
  ///
  /// A name that is not among the ``columns`` is a programming error, and stops the program.
  ///
  /// - Parameter column: The column's name, as spelled in the statement.
  public subscript(column: String) -> SQLiteValue {
    guard let index = layout.names.firstIndex(of: column) else {
      stop(because: "A row has no such column, because its statement does not return it; see `columns`")
    }
    return cells[index]
  }

  /// Returns a Boolean value that indicates whether two rows have the same names and values.
  public static func == (left: Row, right: Row) -> Bool {
    left.cells.count == right.cells.count && (0..<left.cells.count).allSatisfy { left.cells[$0] == right.cells[$0] }
      && (left.layout === right.layout || left.columns == right.columns)
  }

  /// Adds the values to a hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(values)
  }
}

extension Row: CustomStringConvertible {
  /// The columns and their values as SQL literals, such as `(id: 1, name: 'Ada')`.
  public var description: String {
    "(" + zip(columns, values).map { "\($0): \($1)" }.joined(separator: ", ") + ")"
  }
}

/// The layout that all rows of a statement share.
final class RowLayout: Sendable {
  let names: [String]

  init(names: [String]) {
    self.names = names
  }
}

/// The values of a row in one piece of memory: two words for each value, and then the bytes of texts and blobs.
///
/// A row is one allocation, and a text becomes a string only when it is read.
struct RowCells: @unchecked Sendable {
  // Sound: the content is written before the value is returned, and never changes.

  /// The memory, whose header is the number of values.
  private final class Memory: ManagedBuffer<Int, UInt64> {}

  private let memory: Memory

  /// The bits of the first word above the type, which are the number of bytes.
  private static let lengthShift: UInt64 = 8

  /// Copies the values of a statement's current row.
  static func copy(of statement: SQLiteStatement, count: Int) -> RowCells {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count) { words in
      var length = 0
      for index in 0..<count {
        let cell = statement.cell(at: Int32(truncatingIfNeeded: index))
        let type = cell.type
        var (head, content) = (UInt64(truncatingIfNeeded: type), UInt64(0))
        switch type {
        case SQLITE_INTEGER: content = UInt64(bitPattern: cell.int64)
        case SQLITE_FLOAT: content = cell.double.bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
          let bytes = type == SQLITE_TEXT ? UnsafeRawBufferPointer(cell.utf8) : cell.bytes
          head |= UInt64(truncatingIfNeeded: bytes.count) << lengthShift
          // The address is replaced by an offset when the bytes are copied.
          content = UInt64(UInt(bitPattern: bytes.baseAddress))
          length += bytes.count
        default: break
        }
        words.initializeElement(at: 2 * index, to: head)
        words.initializeElement(at: 2 * index + 1, to: content)
      }
      return copy(of: words, count: count, length: length)
    }
  }

  private static func copy(of words: UnsafeMutableBufferPointer<UInt64>, count: Int, length: Int) -> RowCells {
    // Sound: `create` returns an object of the class on which it is called.
    let memory = unsafeDowncast(
      Memory.create(minimumCapacity: 2 * count + (length + 7) / 8) { _ in count }, to: Memory.self)
    memory.withUnsafeMutablePointerToElements { start in
      var end = UnsafeMutableRawPointer(start + 2 * count)
      for index in 0..<count {
        let (head, content) = (words[2 * index], words[2 * index + 1])
        start[2 * index] = head
        start[2 * index + 1] = content
        let bytes = Int(truncatingIfNeeded: head >> lengthShift)
        // Sound: the bytes of the row are valid until the next step.
        guard bytes > 0, let address = UnsafeRawPointer(bitPattern: UInt(content)) else { continue }
        end.copyMemory(from: address, byteCount: bytes)
        start[2 * index + 1] = UInt64(truncatingIfNeeded: end - UnsafeMutableRawPointer(start))
        end += bytes
      }
    }
    return RowCells(memory: memory)
  }

  var count: Int { memory.header }

  /// The value at an index.
  subscript(index: Int) -> SQLiteValue {
    precondition(index >= 0 && index < memory.header, "The index of a column is out of range")
    return memory.withUnsafeMutablePointerToElements { start in
      let word = start + 2 * index
      // Sound: the bytes were copied here, and are copied again.
      let bytes = { () -> UnsafeRawBufferPointer in
        let count = Int(truncatingIfNeeded: word[0] >> Self.lengthShift)
        if count == 0 { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: UnsafeRawPointer(start) + Int(truncatingIfNeeded: word[1]), count: count)
      }
      return switch Int32(truncatingIfNeeded: word[0] & 0xFF) {
      case SQLITE_INTEGER: .integer(Int64(bitPattern: word[1]))
      case SQLITE_FLOAT: .real(Double(bitPattern: word[1]))
      case SQLITE_TEXT: .text(String(decoding: bytes(), as: UTF8.self))
      case SQLITE_BLOB: .blob(Data(bytes()))
      default: .null
      }
    }
  }
}
