import { describe, expect, it } from "vitest";
import { readTemplateIds } from "./free-templates.ts";

describe("ids of job templates", () => {
	it.each([
		["", []],
		["7", [7]],
		[" 7, 12;13\n14 ", [7, 12, 13, 14]],
		["7, x", [7, Number.NaN]],
		["-1", [Number.NaN]],
	])("are read from %j", (text, ids) => expect(readTemplateIds(text)).toEqual(ids));
});
