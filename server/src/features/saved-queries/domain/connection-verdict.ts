/** Whether a class may contain another one, in words that tell an unknown class from one that does not belong there. */
import type { ConnectionVerdict } from "@weft/contracts";
import { containmentOf } from "../../../platform/class-model.ts";
import type { ModelGraph } from "../../../ports/class-model.ts";

export function connectionVerdict(model: ModelGraph | null, parent: string, child: string): ConnectionVerdict {
	if (model === null) {
		return { isValid: true, checked: false, message: "No class model is loaded, so the connection was not checked." };
	}
	const unknown = [...new Set([parent, child])].filter((name) => model.find(name) === undefined);
	if (unknown.length > 0) {
		const message = `The class model ${model.version} has no class ${unknown.join(" and no class ")}.`;
		return { isValid: false, checked: true, message };
	}
	switch (containmentOf(model, parent, child)) {
		case "own":
			return { isValid: true, checked: true, message: `${parent} may contain ${child}.` };
		case "inherited":
			return {
				isValid: true,
				checked: true,
				message: `${parent} may contain ${child}, by what the two are derived from.`,
			};
		case "further": {
			const message = `${parent} does not contain ${child} directly: it stands further below. A query finds it there all the same.`;
			return { isValid: false, checked: true, message };
		}
		case "none":
			return { isValid: false, checked: true, message: `${parent} does not contain ${child}.` };
	}
}
