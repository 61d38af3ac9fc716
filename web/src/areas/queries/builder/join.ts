/** Connects two nodes, and asks the class model whether the one may contain the other. */
import { savedQueryRoutes } from "@weft/contracts/browser";
import { callRoute } from "../../../platform/call.ts";
import { showToast } from "../../../ui/toast.tsx";
import { getNode } from "./model/canvas.ts";
import { getName } from "./model/describe.ts";
import { connectNodes, findEdgeProblem, turnToFollow } from "./model/edit.ts";
import type { BuilderStore } from "./store.ts";

export function joinNodes(store: BuilderStore, source: string, target: string): void {
	const { history, edit, say: announce } = store.getState();
	const problem = findEdgeProblem(history.now, source, target);
	if (problem !== null) {
		announce(problem);
		return;
	}
	edit((now) => connectNodes(now, source, target));
	const doc = store.getState().history.now;
	announce(`Connected ${getName(doc, source)} to ${getName(doc, target)}`);
	const [from, to] = [getNode(doc, source), getNode(doc, target)];
	const edge = doc.edges.at(-1);
	if (from?.type === "classNode" && to?.type === "classNode" && edge !== undefined)
		void checkJoin(store, edge.id, String(from.data.className), String(to.data.className));
}

async function checkJoin(store: BuilderStore, edgeId: string, parentClass: string, childClass: string): Promise<void> {
	const body = { parentClass, childClass };
	const verdict = await callRoute(savedQueryRoutes.validateConnection, { body }).catch(() => null);
	if (verdict === null || verdict.isValid) return;
	store.getState().say(verdict.message);
	showToast(verdict.message, {
		label: isRelation(parentClass) ? "Follow the relation instead" : "Pass DNs to a next stage instead",
		run: () => store.getState().edit((now) => turnToFollow(now, edgeId, isRelation(parentClass) ? "tDn" : "dn")),
	});
}

/** Classes of relations to other objects, such as fvRsCtx; their `tDn` names the other object. */
const isRelation = (className: string): boolean => /^[a-z][a-z0-9]*Rs[A-Z]/.test(className);
