/** The plans that ship, each on a fabric where the work goes well, and where all else breaks. */
import { describe, expect, it } from "vitest";
import { CHECK_TEMPLATES } from "../../src/areas/checks/rules/library/index.ts";
import { PLAN_TEMPLATES } from "../../src/areas/windows/rules/plan-templates/index.ts";
import type { PlanTemplateItem } from "../../src/areas/windows/rules/plan-templates/template.ts";
import { RUNS } from "../support/canvases.ts";
import { waitUntilAfter } from "../support/harness.ts";
import { PLANS, useWindows, WINDOWS } from "../support/windows.ts";
import { buildRightFabric, buildWrongFabric, listObjects, WORKS } from "./plan-fixtures.ts";

const windows = useWindows({ size: "empty" });
const { window, move, read } = windows;

interface Item {
	readonly item: number;
	readonly settled: boolean;
	readonly verdict: string;
	readonly before: { readonly run_id: string };
}

/** The verdict of an item with findings: those below the severity of the gate are warnings. */
const getWorstVerdict = (item: PlanTemplateItem): string =>
	"check" in item && CHECK_TEMPLATES.find(({ key }) => key === item.check)?.severity === "info"
		? "passed_with_warnings"
		: "failed";

/** Puts the lab back to nothing but these objects. */
function setFabric(fabric: ReturnType<typeof buildRightFabric>): void {
	windows.lab.reset();
	windows.setObjects(...listObjects(fabric));
}

/** Ends the work, or takes its rounds again. Failures are judged once all items have settled. */
async function judgeSettledWindow(id: string, step: "finish" | "recheck") {
	let rounds = 0;
	return windows.stepRounds(
		id,
		async (_round, { connections }) => {
			const items: Item[] = connections.flatMap((one: { items: Item[] }) => one.items);
			if (rounds++ > 0 && items.every(({ settled }) => settled)) await move(id, "finish", { now: true });
		},
		step,
	);
}

/** Waits for each round before the work: one may take long on a busy machine. */
async function waitForGate(id: string) {
	for (let round = 1; ; round++) {
		const found = await waitUntilAfter(windows.t.clock, 10_000, `round ${round} before the work is over`, async () => {
			const { state, phases, ...others } = await read(id);
			const isOver =
				state !== "checking_before" || ((phases.before?.round ?? 0) >= round && phases.before.ended_at !== null);
			return isOver ? { state, phases, ...others } : null;
		});
		if (found.state !== "checking_before") return found;
	}
}

async function installPlan(key: string) {
	const made = await windows.ada.api.post(`${PLANS}templates/${key}/install/`);
	expect(made.status, made.text).toBe(201);
	// One comparison is enough: how a fabric settles is a test of its own.
	const one = { delay_s: 0, interval_s: 60, stable_rounds: 1, timeout_s: 3_000 };
	const changed = await windows.ada.api.patch(`${PLANS}${made.body.id}/`, { settle: one });
	expect(changed.status, changed.text).toBe(200);
	return changed.body;
}

const nameItems = (plan: { items: { name: string }[] }, items: readonly Item[]) =>
	items.map(({ item, verdict }) => [plan.items[item]?.name, verdict]);

describe.each(PLAN_TEMPLATES.map((template) => [template.key, template] as const))("the plan %s", (key, template) => {
	const work = WORKS[key];

	it("passes where the work was done as declared, and fails in each item where all else broke", async () => {
		const plan = await installPlan(key);
		const right = buildRightFabric(template);
		setFabric(right);
		const { id } = await window({ plan: plan.id });
		const declared = await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations: work?.expectations });
		expect(declared.status, declared.text).toBe(200);
		expect((await move(id, "start")).status).toBe(200);
		const opened = await waitForGate(id);
		expect(opened).toMatchObject({ state: "open", gate: { passed: true, reasons: [] } });
		const before: Item[] = opened.connections[0].items;
		for (const { item, before: side } of before) {
			if (plan.items[item].query === undefined) continue;
			const { body } = await windows.ada.api.get(`${RUNS}${side.run_id}/`);
			const hasRows = plan.items[item].name === "Faults of the fabric" || body.total_rows > 0;
			expect(hasRows, `${plan.items[item].name} has rows`).toBe(true);
		}
		const after = work?.change(right) ?? right;
		setFabric(after);
		const passed = await judgeSettledWindow(id, "finish");
		const findings = await windows.listFindings(id);
		expect(passed, JSON.stringify(findings)).toMatchObject({ verdict: "passed", changed: true });

		setFabric(buildWrongFabric(template));
		const failed = await judgeSettledWindow(id, "recheck");
		expect(failed).toMatchObject({ verdict: "failed" });
		const expected = template.items.map((item, at) => {
			const isJudged = "check" in item ? item.when.includes("after") : item.compare !== "record";
			return [plan.items[at].name, isJudged ? getWorstVerdict(item) : "passed"];
		});
		expect(nameItems(plan, failed.connections[0].items)).toEqual(expected);
	});
});
