import fc from "fast-check";
import { expect, it } from "vitest";
import { canvases } from "../../../../../test/support/flows/random-canvas.ts";
import { compileFlow } from "../../../runs/pipelines/rules/compile.ts";
import { stripLayout } from "./strip-layout.ts";
import { readFlow } from "./validation.ts";

it("drops what is drawn and nothing that counts", () => {
	let compared = 0;
	fc.assert(
		fc.property(canvases, fc.string(), (canvas, junk) => {
			const plain = readFlow(canvas);
			const drawn = readFlow({
				nodes: canvas.nodes.map((node) => ({ ...node, position: junk, data: { ...node.data, label: junk } })),
				edges: canvas.edges.map((edge) => ({ ...edge, style: junk, data: { ...edge.data, colour: junk } })),
				viewport: junk,
			});
			fc.pre(plain.ok && drawn.ok);
			if (!plain.ok || !drawn.ok) return;
			compared += 1;
			expect(compileFlow(stripLayout(drawn.value))).toEqual(compileFlow(stripLayout(plain.value)));
			expect(stripLayout(drawn.value)).toEqual(stripLayout(plain.value));
			expect(compileFlow(stripLayout(plain.value))).toEqual(compileFlow(plain.value));
		}),
	);
	expect(compared).toBeGreaterThan(50);
});
