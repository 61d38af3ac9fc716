/** The content of a request, as a launch needs it. */
import type { LaunchPromptValues } from "@weft/contracts";
import type { SheetRows } from "./row-index.ts";

/** The content of a request with its secrets, for launches and for reading results. */
export interface RequestContent {
	readonly id: string;
	readonly title: string;
	readonly templateName: string;
	readonly checkMode: boolean;
	readonly credentialId: number | null;
	readonly requestedBy: string;
	readonly prompts: LaunchPromptValues;
	/** Rows as they are sent, by sheet. */
	readonly sheets: readonly (SheetRows & { readonly variable: string })[];
	/** Constants of the template, and what the service says of the request. */
	readonly variables: Readonly<Record<string, unknown>>;
	readonly secrets: readonly string[];
}
