import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { getHelp } from "./help.ts";
import { SECTIONS } from "./pages.ts";

describe("the help of a page", () => {
	const paths = SECTIONS.flatMap(({ pages }) =>
		pages.flatMap((page) => [page.to, ...(page.also ?? []).map(({ to }) => to)]),
	);

	it.each(paths)("of %s is a document", (path) => {
		const name = getHelp(path).slice("/help/".length) || "index";
		expect(existsSync(new URL(`../../../docs/${name}.md`, import.meta.url)), name).toBe(true);
	});

	it("is about what is shown", () => {
		expect(getHelp("/runs/groups/0b6f")).toBe("/help/fabrics");
		expect(getHelp("/settings/connections/0b6f")).toBe("/help/controllers");
		expect(getHelp("/")).toBe("/help/");
		expect(getHelp("/nothing")).toBe("/help/");
	});
});
