/**
 * Whether a class may contain another one; tells unknown classes from classes that are not
 * contained.
 */
import type { ConnectionVerdict } from "@weft/contracts";
import { getContainment } from "../../../../core/class-model.ts";
import type { ModelGraph } from "../../../../core/ports/class-model.ts";

export function decideConnectionVerdict(model: ModelGraph | null, parent: string, child: string): ConnectionVerdict {
	if (model === null) {
		return { isValid: true, checked: false, message: "No class model is loaded, so the connection was not checked." };
	}
	const unknown = [...new Set([parent, child])].filter((name) => model.find(name) === undefined);
	if (unknown.length > 0) {
		const message = `The class model ${model.version} has no class ${unknown.join(" and no class ")}.`;
		return { isValid: false, checked: true, message };
	}
	const containment = getContainment(model, parent, child);
	const messages: Record<typeof containment, string> = {
		own: `${parent} may contain ${child}.`,
		inherited: `${parent} may contain ${child}, because one of them inherits it from its superclasses.`,
		further: `${parent} contains ${child} only indirectly, at a lower level. A query finds these objects too.`,
		none: `${parent} does not contain ${child}.`,
	};
	return {
		isValid: containment === "own" || containment === "inherited",
		checked: true,
		message: messages[containment],
	};
}
