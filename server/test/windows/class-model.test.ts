/** Another class model between the two sides of a window: only a comparison by name is judged. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelGraph } from "../../src/core/ports/class-model.ts";
import { sketchModel } from "../support/flows/sketch-model.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const CLASSES = [
	{ name: "topRoot" },
	{ name: "polUni", rn: "uni", containers: ["topRoot"] },
	{ name: "fvTenant", rn: "tn-{name}", containers: ["polUni"] },
	{ name: "fvBD", rn: "BD-{name}", containers: ["fvTenant"] },
];
const OLD = sketchModel(CLASSES, "6.0(9c)");
const NEW = sketchModel(CLASSES, "6.1(2f)");
let model: ModelGraph | null = OLD;

const windows = useWindows(undefined, { classModel: async () => model });
const { window, open, judge, recheck, listFindings } = windows;
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 5 };
beforeEach(() => {
	model = OLD;
});

/** Opens a window with an item that is compared by DN and one by name. */
async function openWindow(): Promise<string> {
	const items = [{ query: windows.query }, { query: windows.query, match: "name" }];
	const { id } = await window({}, { items, settle: SETTLE });
	await open(id);
	return id;
}
const listVerdicts = ({ connections }: { connections: { items: { verdict: string }[] }[] }) =>
	connections[0]?.items.map(({ verdict }) => verdict);

describe("a window with another class model after the work", () => {
	it("makes items that are compared by DN inconclusive, and lets those by name be judged", async () => {
		const id = await openWindow();
		model = NEW;
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "inconclusive", verdict_reasons: ["inconclusive:1"] });
		expect(listVerdicts(judged)).toEqual(["inconclusive", "passed"]);
		expect(await listFindings(id)).toMatchObject([
			{ class: "inconclusive", item: 0, detail: expect.stringContaining("Another class model was loaded meanwhile.") },
		]);
		const { body } = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=json`);
		expect(body.versions).toMatchObject({ class_model_before: "6.0(9c)", class_model_after: "6.1(2f)" });
	});

	it("fails for an undeclared difference that it finds by name", async () => {
		const id = await openWindow();
		model = NEW;
		await windows.writeDomain("by-name");
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "failed" });
		expect(listVerdicts(judged)).toEqual(["inconclusive", "failed"]);
		expect(await listFindings(id, "&class=undeclared")).toMatchObject([{ item: 1 }]);
		await windows.remove("fvBD", "uni/tn-window-test/BD-by-name");
	});

	it("passes once the model of the first side is there again", async () => {
		const id = await openWindow();
		model = null;
		expect(await judge(id)).toMatchObject({ verdict: "inconclusive" });
		model = OLD;
		expect(listVerdicts(await recheck(id))).toEqual(["passed", "passed"]);
	});
});
