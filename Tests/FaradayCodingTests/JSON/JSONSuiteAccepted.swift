import FaradayCoding
import FoundationEssentials

/// Texts of JSONTestSuite that every parser accepts (`y_`), and texts that the standard leaves undefined (`i_`), by name.
/// A byte that is no text of its own is written ‹E5›.
enum JSONSuiteAccepted {
  /// Each text with its form after writing, if that differs.
  static let accepted: [(name: String, text: String, written: String?)] = [
    ("y_array_arraysWithSpaces", "[[]   ]", "[[]]"), ("y_array_empty", "[]", nil), ("y_array_empty-string", #"[""]"#, nil),
    ("y_array_ending_with_newline", #"["a"]"#, nil), ("y_array_false", "[false]", nil),
    ("y_array_heterogeneous", #"[null, 1, "1", {}]"#, #"[null,1,"1",{}]"#), ("y_array_null", "[null]", nil),
    ("y_array_with_1_and_newline", "[1‹0A›]", "[1]"), ("y_array_with_leading_space", " [1]", "[1]"),
    ("y_array_with_several_null", "[1,null,null,null,2]", nil), ("y_array_with_trailing_space", "[2] ", "[2]"),
    ("y_number", "[123e65]", nil), ("y_number_0e+1", "[0e+1]", nil), ("y_number_0e1", "[0e1]", nil),
    ("y_number_after_space", "[ 4]", "[4]"),
    ("y_number_double_close_to_zero", "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]", nil),
    ("y_number_int_with_exp", "[20e1]", nil), ("y_number_minus_zero", "[-0]", nil), ("y_number_negative_int", "[-123]", nil),
    ("y_number_negative_one", "[-1]", nil), ("y_number_negative_zero", "[-0]", nil), ("y_number_real_capital_e", "[1E22]", nil),
    ("y_number_real_capital_e_neg_exp", "[1E-2]", nil), ("y_number_real_capital_e_pos_exp", "[1E+2]", nil),
    ("y_number_real_exponent", "[123e45]", nil), ("y_number_real_fraction_exponent", "[123.456e78]", nil),
    ("y_number_real_neg_exp", "[1e-2]", nil), ("y_number_real_pos_exponent", "[1e+2]", nil),
    ("y_number_simple_int", "[123]", nil),
    ("y_number_simple_real", "[123.456789]", nil),
    ("y_object", #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf","dfg":"fgh"}"#), ("y_object_basic", #"{"asd":"sdf"}"#, nil),
    ("y_object_duplicated_key", #"{"a":"b","a":"c"}"#, #"{"a":"b"}"#),
    ("y_object_duplicated_key_and_value", #"{"a":"b","a":"b"}"#, #"{"a":"b"}"#), ("y_object_empty", "{}", nil),
    ("y_object_empty_key", #"{"":0}"#, nil), ("y_object_escaped_null_in_key", #"{"foo\u0000bar": 42}"#, #"{"foo\u0000bar":42}"#),
    ("y_object_extreme_numbers", #"{ "min": -1.0e+28, "max": 1.0e+28 }"#, #"{"min":-1.0e+28,"max":1.0e+28}"#),
    (
      "y_object_long_strings",
      #"{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}], "id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
      #"{"x":[{"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}],"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#
    ),
    ("y_object_simple", #"{"a":[]}"#, nil),
    ("y_object_string_unicode", #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430"}"#, #"{"title":"Полтора"}"#),
    ("y_object_with_newlines", #"{‹0A›"a": "b"‹0A›}"#, #"{"a":"b"}"#),
    ("y_string_1_2_3_bytes_UTF-8_sequences", #"["\u0060\u012a\u12AB"]"#, #"["`Īካ"]"#),
    ("y_string_accepted_surrogate_pair", #"["\uD801\udc37"]"#, #"["𐐷"]"#),
    ("y_string_accepted_surrogate_pairs", #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["😹💍"]"#),
    ("y_string_allowed_escapes", #"["\"\\\/\b\f\n\r\t"]"#, #"["\"\\/\b\f\n\r\t"]"#),
    ("y_string_backslash_and_u_escaped_zero", #"["\\u0000"]"#, nil), ("y_string_backslash_doublequotes", #"["\""]"#, nil),
    ("y_string_comments", #"["a/*b*/c/*d//e"]"#, nil), ("y_string_double_escape_a", #"["\\a"]"#, nil),
    ("y_string_double_escape_n", #"["\\n"]"#, nil), ("y_string_escaped_control_character", #"["\u0012"]"#, nil),
    ("y_string_escaped_noncharacter", #"["\uFFFF"]"#, "[\"\u{FFFF}\"]"), ("y_string_in_array", #"["asd"]"#, nil),
    ("y_string_in_array_with_leading_space", #"[ "asd"]"#, #"["asd"]"#),
    ("y_string_last_surrogates_1_and_2", #"["\uDBFF\uDFFF"]"#, "[\"\u{10FFFF}\"]"),
    ("y_string_nbsp_uescaped", #"["new\u00A0line"]"#, "[\"new\u{A0}line\"]"),
    ("y_string_nonCharacterInUTF-8_U+10FFFF", "[\"\u{10FFFF}\"]", nil),
    ("y_string_nonCharacterInUTF-8_U+FFFF", "[\"\u{FFFF}\"]", nil),
    ("y_string_null_escape", #"["\u0000"]"#, nil), ("y_string_one-byte-utf-8", #"["\u002c"]"#, #"[","]"#),
    ("y_string_pi", #"["π"]"#, nil), ("y_string_reservedCharacterInUTF-8_U+1BFFF", "[\"\u{1BFFF}\"]", nil),
    ("y_string_simple_ascii", #"["asd "]"#, nil), ("y_string_space", "\" \"", nil),
    ("y_string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF", #"["\uD834\uDd1e"]"#, #"["𝄞"]"#),
    ("y_string_three-byte-utf-8", #"["\u0821"]"#, "[\"\u{821}\"]"), ("y_string_two-byte-utf-8", #"["\u0123"]"#, #"["ģ"]"#),
    ("y_string_u+2028_line_sep", "[\"\u{2028}\"]", nil), ("y_string_u+2029_par_sep", "[\"\u{2029}\"]", nil),
    ("y_string_uEscape", #"["\u0061\u30af\u30EA\u30b9"]"#, #"["aクリス"]"#),
    ("y_string_uescaped_newline", #"["new\u000Aline"]"#, #"["new\nline"]"#),
    ("y_string_unescaped_char_delete", "[\"‹7F›\"]", nil), ("y_string_unicode", #"["\uA66D"]"#, "[\"\u{A66D}\"]"),
    ("y_string_unicodeEscapedBackslash", #"["\u005C"]"#, #"["\\"]"#), ("y_string_unicode_2", #"["⍂㈴⍂"]"#, nil),
    ("y_string_unicode_U+10FFFE_nonchar", #"["\uDBFF\uDFFE"]"#, "[\"\u{10FFFE}\"]"),
    ("y_string_unicode_U+1FFFE_nonchar", #"["\uD83F\uDFFE"]"#, "[\"\u{1FFFE}\"]"),
    ("y_string_unicode_U+200B_ZERO_WIDTH_SPACE", #"["\u200B"]"#, "[\"\u{200B}\"]"),
    ("y_string_unicode_U+2064_invisible_plus", #"["\u2064"]"#, "[\"\u{2064}\"]"),
    ("y_string_unicode_U+FDD0_nonchar", #"["\uFDD0"]"#, "[\"‹EF›‹B7›‹90›\"]"),
    ("y_string_unicode_U+FFFE_nonchar", #"["\uFFFE"]"#, "[\"\u{FFFE}\"]"),
    ("y_string_unicode_escaped_double_quote", #"["\u0022"]"#, #"["\""]"#), ("y_string_utf8", #"["€𝄞"]"#, nil),
    ("y_string_with_del_character", "[\"a‹7F›a\"]", nil), ("y_structure_lonely_false", "false", nil),
    ("y_structure_lonely_int", "42", nil), ("y_structure_lonely_negative_real", "-0.1", nil),
    ("y_structure_lonely_null", "null", nil),
    ("y_structure_lonely_string", "\"asd\"", nil), ("y_structure_lonely_true", "true", nil),
    ("y_structure_string_empty", "\"\"", nil),
    ("y_structure_trailing_newline", #"["a"]‹0A›"#, #"["a"]"#), ("y_structure_true_in_array", "[true]", nil),
    ("y_structure_whitespace_array", " [] ", "[]"),
    // Undefined by the standard, and accepted here.
    ("i_number_double_huge_neg_exp", "[123.456e-789]", nil),
    ("i_number_huge_exp", "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999969999999006]", nil),
    ("i_number_neg_int_huge_exp", "[-1e+9999]", nil), ("i_number_pos_double_huge_exp", "[1.5e+9999]", nil),
    ("i_number_real_neg_overflow", "[-123123e100000]", nil), ("i_number_real_pos_overflow", "[123123e100000]", nil),
    ("i_number_real_underflow", "[123e-10000000]", nil), ("i_number_too_big_neg_int", "[-123123123123123123123123123123]", nil),
    ("i_number_too_big_pos_int", "[100000000000000000000]", nil),
    ("i_number_very_big_negative_int", "[-237462374673276894279832749832423479823246327846]", nil),
    ("i_structure_500_nested_arrays", String(repeating: "[", count: 500) + String(repeating: "]", count: 500), nil),
    ("i_structure_UTF-8_BOM_empty_object", "‹EF›‹BB›‹BF›{}", "{}"),
  ]

  /// Undefined by the standard, and rejected here.
  static let refused: [(name: String, text: String, reason: JSONError.Reason)] = [
    ("i_object_key_lone_2nd_surrogate", #"{"\uDFAA":0}"#, .loneSurrogate),
    ("i_string_1st_surrogate_but_2nd_missing", #"["\uDADA"]"#, .loneSurrogate),
    ("i_string_1st_valid_surrogate_2nd_invalid", #"["\uD888\u1234"]"#, .loneSurrogate),
    ("i_string_UTF-16LE_with_BOM", #"‹FF›‹FE›[‹00›"‹00›‹E9›‹00›"‹00›]‹00›"#, .expectedValue),
    ("i_string_UTF-8_invalid_sequence", #"["日ш‹FA›"]"#, .invalidUTF8),
    ("i_string_UTF8_surrogate_U+D800", #"["‹ED›‹A0›‹80›"]"#, .invalidUTF8),
    ("i_string_incomplete_surrogate_and_escape_valid", #"["\uD800\n"]"#, .loneSurrogate),
    ("i_string_incomplete_surrogate_pair", #"["\uDd1ea"]"#, .loneSurrogate),
    ("i_string_incomplete_surrogates_escape_valid", #"["\uD800\uD800\n"]"#, .loneSurrogate),
    ("i_string_invalid_lonely_surrogate", #"["\ud800"]"#, .loneSurrogate),
    ("i_string_invalid_surrogate", #"["\ud800abc"]"#, .loneSurrogate), ("i_string_invalid_utf-8", #"["‹FF›"]"#, .invalidUTF8),
    ("i_string_inverted_surrogates_U+1D11E", #"["\uDd1e\uD834"]"#, .loneSurrogate),
    ("i_string_iso_latin_1", #"["‹E9›"]"#, .invalidUTF8), ("i_string_lone_second_surrogate", #"["\uDFAA"]"#, .loneSurrogate),
    ("i_string_lone_utf8_continuation_byte", #"["‹81›"]"#, .invalidUTF8),
    ("i_string_not_in_unicode_range", #"["‹F4›‹BF›‹BF›‹BF›"]"#, .invalidUTF8),
    ("i_string_overlong_sequence_2_bytes", #"["‹C0›‹AF›"]"#, .invalidUTF8),
    ("i_string_overlong_sequence_6_bytes", #"["‹FC›‹83›‹BF›‹BF›‹BF›‹BF›"]"#, .invalidUTF8),
    ("i_string_overlong_sequence_6_bytes_null", #"["‹FC›‹80›‹80›‹80›‹80›‹80›"]"#, .invalidUTF8),
    ("i_string_truncated-utf-8", #"["‹E0›‹FF›"]"#, .invalidUTF8),
    ("i_string_utf16BE_no_BOM", #"‹00›[‹00›"‹00›‹E9›‹00›"‹00›]"#, .expectedValue),
    ("i_string_utf16LE_no_BOM", #"[‹00›"‹00›‹E9›‹00›"‹00›]‹00›"#, .expectedValue),
  ]

  /// The bytes of such a text.
  static func bytes(_ text: String) -> Data {
    var data = Data()
    var rest = text[...]
    while let open = rest.firstIndex(of: "‹"), let close = rest.firstIndex(of: "›") {
      data += Data(rest[..<open].utf8)
      data.append(UInt8(rest[rest.index(after: open)..<close], radix: 16) ?? 0)
      rest = rest[rest.index(after: close)...]
    }
    return data + Data(rest.utf8)
  }
}
