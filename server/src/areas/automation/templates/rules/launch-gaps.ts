/** What a launch lacks by what the server says of its template: the server would refuse it. */
import type { AutomationWarning, ServerTemplateDetail } from "@weft/contracts";

export interface LaunchGifts {
	/** Names of the variables that the launch brings. */
	readonly variables: ReadonlySet<string>;
	/** Whether it brings a credential, which may replace one that asks for a password. */
	readonly hasCredential: boolean;
	/** Whether it brings an inventory. */
	readonly hasInventory: boolean;
}

const quoteNames = (names: readonly (string | number)[]): string => names.map((name) => `"${name}"`).join(", ");

/** Each gap with its remedy; empty where nothing is missing, or the server does not say. */
export function findLaunchGaps(
	template: Pick<ServerTemplateDetail, "name" | "kind" | "launch_needs">,
	gifts: LaunchGifts,
): AutomationWarning[] {
	const needs = template.launch_needs;
	if (needs === null) return [];
	const named = `The ${template.kind === "job" ? "template" : "workflow"} "${template.name}" of the automation server`;
	const gaps: AutomationWarning[] = [];
	const answers = needs.survey.filter((name) => !gifts.variables.has(name));
	if (answers.length > 0) {
		const message =
			`${named} has a survey that requires ${quoteNames(answers)}. ` +
			"Give them as constants (variable_mappings), or make the questions optional at the server.";
		gaps.push({ code: "survey_answers_missing", message });
	}
	if (needs.inventory && !gifts.hasInventory) {
		const message = `${named} has no inventory, and a launch brings none. Choose an inventory at the server.`;
		gaps.push({ code: "inventory_missing", message });
	}
	if (needs.passwords.length > 0 && !gifts.hasCredential) {
		const message =
			`${named} asks for ${quoteNames(needs.passwords)} at launch, and a launch brings no passwords. ` +
			"Store them in the credential at the server.";
		gaps.push({ code: "passwords_missing", message });
	}
	if (needs.nodes.length > 0) {
		const message = `${named} has nodes whose template was deleted: ${quoteNames(needs.nodes)}. Choose other templates at the server.`;
		gaps.push({ code: "node_templates_missing", message });
	}
	return gaps;
}
