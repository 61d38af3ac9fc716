/** The requirements of a request on its launch. */
import type { Wanted } from "../rules/launch.ts";
import { REFERENCE } from "../rules/launch.ts";
import type { RequestContent } from "../rules/request-content.ts";

/** @param reference of the launch; empty for a check without a launch */
export function buildWantedLaunch(content: RequestContent, reference: string): Wanted {
	const rows = Object.fromEntries(content.sheets.map((sheet) => [sheet.variable, sheet.rows]));
	return {
		checkMode: content.checkMode,
		credentialId: content.credentialId,
		prompts: content.prompts,
		variables: { ...content.variables, ...rows, [REFERENCE]: reference },
		rowVariables: content.sheets.filter((sheet) => sheet.rows.length > 0).map(({ variable }) => variable),
	};
}
