/** Documents with rows in them are cut without changing a letter of a row. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { getParts, readDocument } from "./document.ts";

it("keeps each row as it came, whatever its numbers", () => {
	const rows = ['{"a": {"attributes": {"n": 12345678901234567890, "t": "x,]}\\"\\\\"}}}', "1.10", "null", "[1, [2]]"];
	const { about, rows: read } = readDocument(
		`{"id": "1", "result_data": [${rows.join(" ,\n")}], "label": null}`,
		"result_data",
	);
	expect(read).toEqual(rows);
	expect(about).toEqual({ id: "1", label: null });
});

it.each([
	['{"result_data": []}', []],
	["{}", []],
	['{"result_data": {"totalCount": "2", "imdata": [{"x": 1}, {"y": 2}]}}', ['{"x": 1}', '{"y": 2}']],
	['{"result_data": {"x": 1}}', ['{"x": 1}']],
	['{"result_data": "text"}', ['"text"']],
])("%s", (text, rows) => {
	expect(readDocument(text, "result_data").rows).toEqual(rows);
});

it("cuts any array into its elements", () => {
	fc.assert(
		fc.property(fc.array(fc.jsonValue()), fc.boolean(), (list, spaced) => {
			const text = JSON.stringify(list, null, spaced ? 1 : 0);
			expect([...getParts(text)].map((part) => JSON.parse(part))).toEqual(JSON.parse(text));
		}),
	);
});
