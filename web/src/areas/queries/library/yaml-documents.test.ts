import { describe, expect, it } from "vitest";
import { splitDocuments } from "./yaml-documents.ts";

const listParts = (text: string) =>
	splitDocuments("a.yaml", text).map(({ path, content, linesBefore }) => [path, content, linesBefore]);

describe("a file with queries", () => {
	it("is split at its document markers, and each document has its place in the file", () => {
		expect(listParts("kind: query\nname: A\n---\nkind: query\n---  \r\nkind: check\n")).toEqual([
			["a.yaml", "kind: query\nname: A\n", 0],
			["a.yaml (2)", "kind: query\n", 3],
			["a.yaml (3)", "kind: check\n", 5],
		]);
	});

	it("is one document where a marker begins it or stands within a text", () => {
		expect(listParts("---\nname: A\n")).toEqual([["a.yaml", "name: A\n", 1]]);
		expect(listParts("description: |\n  a\n  ---\n  b\n")).toHaveLength(1);
		expect(listParts("  \n")).toEqual([]);
	});
});
