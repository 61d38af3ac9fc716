/**
 * For random fabrics, canvases and values, the plan's requests give what the canvas means, with a
 * class model and without.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { evaluateCanvas } from "../../../../../test/support/flows/naive-evaluation.ts";
import { runPlan } from "../../../../../test/support/flows/plan-runner.ts";
import { canvases } from "../../../../../test/support/flows/random-canvas.ts";
import { CLASSES, fabrics } from "../../../../../test/support/flows/random-fabric.ts";
import { fabricModel } from "../../../../../test/support/flows/sketch-model.ts";
import { getDn } from "../../../../core/rows/rows.ts";
import { readFlow } from "../../../queries/flow/rules/validation.ts";
import { compileFlow } from "./compile.ts";
import { readModelFacts } from "./model-facts.ts";
import { previewFlow } from "./preview.ts";

it("gives what a naive evaluation gives", { timeout: 20_000 }, () => {
	let kept = 0;
	fc.assert(
		fc.property(
			fabrics,
			canvases,
			fc.record({
				maxUrlBytes: fc.constantFrom(250, 400, 6_000),
				counts: fc.constantFrom(
					undefined,
					Object.fromEntries(CLASSES.map((name) => [name, 1])),
					Object.fromEntries(CLASSES.map((name) => [name, 1_000_000])),
				),
				force: fc.constantFrom(undefined, undefined, "join" as const, "class" as const),
			}),
			fc.constantFrom(undefined, readModelFacts(fabricModel).model),
			(fabric, canvas, options, model) => {
				const read = readFlow(canvas);
				fc.pre(read.ok);
				if (!read.ok) return;
				const plan = compileFlow(read.value, model);
				const expected = evaluateCanvas(canvas, fabric);
				const { getRows } = runPlan(plan, fabric, options);
				for (const stage of plan.stages) {
					for (const { nodeId } of stage.branches) {
						const dns = getRows(nodeId).map(getDn).sort();
						kept += dns.length;
						expect({ nodeId, dns }).toEqual({ nodeId, dns: [...expected(nodeId)].sort() });
					}
				}
			},
		),
		{ numRuns: 400 },
	);
	expect(kept).toBeGreaterThan(800);
});

it("gives the rows of any one class node", { timeout: 20_000 }, () => {
	let kept = 0;
	fc.assert(
		fc.property(fabrics, canvases, (fabric, canvas) => {
			const read = readFlow(canvas);
			fc.pre(read.ok);
			if (!read.ok) return;
			const expected = evaluateCanvas(canvas, fabric);
			for (const { id, type } of canvas.nodes) {
				if (type !== "classNode") continue;
				const part = previewFlow(read.value, id);
				if (!part.ok) throw new Error(part.message);
				const plan = compileFlow(part.flow);
				expect(plan.stages.find(({ nodeIds }) => nodeIds.includes(id))?.branches.map(({ nodeId }) => nodeId)).toContain(
					id,
				);
				const dns = runPlan(plan, fabric, {}).getRows(id).map(getDn).sort();
				kept += dns.length;
				expect({ id, dns }).toEqual({ id, dns: [...expected(id)].sort() });
			}
		}),
		{ numRuns: 200 },
	);
	expect(kept).toBeGreaterThan(400);
});
