/** Ids of job templates as a person types them. */
import type { AutomationConnection } from "@weft/contracts";

export type ServerApproval = AutomationConnection["approval"];

/** A part that is no number becomes NaN, which the service refuses under the field. */
export function readTemplateIds(text: string): number[] {
	const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
	return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN));
}
