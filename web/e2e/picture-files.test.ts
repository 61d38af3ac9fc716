/** The pictures in docs/ui are those that are drawn, and those of the demo are in a document. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { DEMO_PICTURES } from "./full/demo-pictures.ts";
import { getFiles, listPictureFiles } from "./full/picture-files.ts";

const root = resolve(import.meta.dirname, "../..");

it("stores both themes of every drawn picture, and no other picture", () => {
	const stored = readdirSync(join(root, "docs/ui")).filter((name) => name.endsWith(".png"));
	expect(stored.toSorted()).toEqual(listPictureFiles().toSorted());
});

it("shows every picture of the demo in a document", () => {
	const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
	const text = names.map((name) => readFileSync(join(root, "docs", name), "utf8")).join("\n");
	const left = DEMO_PICTURES.filter(({ name }) => !getFiles(name).some((file) => text.includes(`(ui/${file})`)));
	expect(left.map(({ name }) => name)).toEqual([]);
});
