/** The tree's rows and what its keys do. */
import type { TreeNode } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { getParent, getRows, getStep } from "./branches.ts";

const createNode = (name: string, child_count = 0): TreeNode => ({
	name,
	display_name: name,
	package: "fv",
	child_count,
	has_children: child_count > 0,
});
const CHILDREN: Readonly<Record<string, readonly TreeNode[]>> = {
	"": [createNode("a", 2), createNode("b")],
	a: [createNode("c", 1), createNode("a", 2)],
	c: [createNode("b")],
};
const listRowsWith = (...open: string[]) =>
	getRows({ listChildren: (name) => CHILDREN[name], isOpen: (path) => open.includes(path) });
const listPaths = (...open: string[]) => listRowsWith(...open).map(({ path }) => path);

describe("rows of the tree", () => {
	it("are those of open branches, each with its place among its siblings", () => {
		expect(listPaths()).toEqual(["a", "b"]);
		expect(listPaths("a")).toEqual(["a", "a/c", "a/a", "b"]);
		expect(listRowsWith("a", "a/c").map(({ level, position, siblings }) => [level, position, siblings])).toEqual([
			[1, 1, 2],
			[2, 1, 2],
			[3, 1, 1],
			[2, 2, 2],
			[1, 2, 2],
		]);
	});

	it("know a class that stands below itself by its way", () => {
		expect(listPaths("a", "a/a")).toEqual(["a", "a/c", "a/a", "a/a/c", "a/a/a", "b"]);
	});

	it("do without a branch that is not there yet", () => {
		expect(
			getRows({ listChildren: (name) => (name === "" ? CHILDREN[""] : undefined), isOpen: () => true }),
		).toHaveLength(2);
		expect(getRows({ listChildren: () => undefined, isOpen: () => true })).toEqual([]);
	});
});

describe("keys of the tree", () => {
	const open = listRowsWith("a");
	it.each([
		["ArrowDown", "a", { to: "a/c" }],
		["ArrowDown", "b", null],
		["ArrowUp", "a/c", { to: "a" }],
		["ArrowUp", "a", null],
		["Home", "b", { to: "a" }],
		["End", "a", { to: "b" }],
		["ArrowRight", "a", { to: "a/c" }],
		["ArrowRight", "a/c", { turn: "a/c" }],
		["ArrowRight", "b", null],
		["ArrowLeft", "a", { turn: "a" }],
		["ArrowLeft", "a/c", { to: "a" }],
		["ArrowLeft", "b", null],
		["ArrowDown", "gone", { to: "a/c" }],
		["x", "a", null],
	] as const)("%s at %s", (key, current, step) => {
		expect(getStep(key, open, current)).toEqual(step);
	});

	it("do nothing in an empty tree", () => {
		expect(getStep("ArrowDown", [], "")).toBeNull();
		expect(getParent("a")).toBe("");
	});
});
