/** Texts, numbers and parts of routes that the automation contracts share. */
import * as z from "zod";
import { defineDictionary } from "../core/bounded.ts";
import { refuseTurning } from "../core/text.ts";

export const getText = (max: number) => refuseTurning(z.string().max(max, `Must be at most ${max} characters.`));
export const searchText = z.string().max(200, "Must be at most 200 characters.");

export const defineInteger = (min: number, max: number) => {
	const message = `Must be a whole number from ${min} to ${max}.`;
	return z.int(message).min(min, message).max(max, message);
};

export const removeDuplicates = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** A JSON object as it came. */
export const jsonObject = defineDictionary(z.unknown(), { max: 1_000, error: "Must be an object." });

/** A fact that the people concerned should know although nothing failed. */
export const automationWarning = z.object({
	code: z.string(),
	message: z.string(),
	fields: z.record(z.string(), z.unknown()).optional(),
});
export type AutomationWarning = z.infer<typeof automationWarning>;

export const common = { throttle: "user" } as const;
export const read = { none: "read" } as const;
export const defineManagementAudit = (action: string) => ({ category: "automation_management", action }) as const;
export const defineExecutionAudit = (action: string) => ({ category: "automation_execution", action }) as const;
