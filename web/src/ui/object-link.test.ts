/** Every DN of the UI leads to its object: which files draw DNs, and by which part. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tsx"));
const listFilesWith = (pattern: RegExp): string[] =>
	files.filter((path) => pattern.test(readFileSync(join(root, path), "utf8"))).sort();

/** Tables, lists and texts with DNs, by the part that makes links of them. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
	ObjectLink: [
		"areas/answers/changes/change-list.tsx",
		"areas/answers/find/found-table.tsx",
		"areas/answers/objects/surroundings.tsx",
		"areas/answers/pictures/part-tables.tsx",
		"areas/fabrics/groups/pivot.tsx",
		"areas/history/compare-view.tsx",
		"areas/history/fabrics.tsx",
		"areas/overview/since-yesterday.tsx",
		"areas/windows/findings.tsx",
		"areas/windows/plan-preview.tsx",
	],
	ValueLink: ["areas/answers/objects/attribute-groups.tsx", "areas/runs/grid/row-peek.tsx"],
	ValueText: ["areas/automation/changes-view.tsx", "areas/automation/rows-table.tsx"],
	LinkedText: ["areas/audit/entry.tsx", "areas/automation/history-panel.tsx", "areas/notifications/notifications.tsx"],
};
/** Pages with rows, whose grid makes links of DNs where it knows the fabric. */
const GRIDS = [
	"areas/answers/gallery/question.tsx",
	"areas/checks/evidence.tsx",
	"areas/fabrics/groups/execution.tsx",
	"areas/history/snapshot.tsx",
	"areas/queries/builder/dock.tsx",
	"areas/runs/run.tsx",
];

it.each(Object.entries(PLACES))("draws DNs by %s in these places", (part, places) => {
	const found = listFilesWith(new RegExp(`<${part}\\b`));
	expect(found.filter((path) => path !== "ui/object-link.tsx")).toEqual(places);
});

it("draws rows by the grid that links their DNs in these places", () => {
	const found = listFilesWith(/<(?:ResultGrid|GridBody)\b/);
	expect(found.filter((path) => path !== "areas/runs/grid/grid.tsx")).toEqual(GRIDS);
});

it("draws a DN without a link only where it is an option to choose", () => {
	expect(listFilesWith(/<Dn\b/)).toEqual(["areas/history/dn-field.tsx", "ui/object-link.tsx"]);
});
