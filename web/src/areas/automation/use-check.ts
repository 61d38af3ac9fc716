/** The service's check of rows, shortly after the last change. */
import type { InputData, ValidationResult } from "@weft/contracts";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { useEffect, useRef, useState } from "react";
import { callRoute } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";

const PAUSE_MS = 800;
/** Until the first look at a check: few rows are checked at once. */
const FIRST_MS = 250;

export interface Check {
	readonly isChecking: boolean;
	/** Of the rows as they are; null before their check is done. */
	readonly result: ValidationResult | null;
	readonly error: unknown;
}

/** @param data rows to check; null: there are none */
export function useCheck(template: string, data: InputData | null): Check {
	const [state, setState] = useState<Check>({ isChecking: false, result: null, error: null });
	const key = data === null ? null : JSON.stringify(data);
	const latest = useRef(data);
	latest.current = data;
	useEffect(() => {
		setState({ isChecking: key !== null, result: null, error: null });
		if (key === null) return;
		const abort = new AbortController();
		const timer = setTimeout(() => {
			validateInput(template, latest.current ?? [], abort.signal).then(
				(result) => abort.signal.aborted || setState({ isChecking: false, result, error: null }),
				(error: unknown) => abort.signal.aborted || setState({ isChecking: false, result: null, error }),
			);
		}, PAUSE_MS);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [template, key]);
	return state;
}

async function validateInput(template: string, data: InputData, signal: AbortSignal): Promise<ValidationResult> {
	const { task_id, polling_interval } = Array.isArray(data)
		? await callRoute(automationTemplateRoutes.validateInput, { body: { template, input_data: data } }, signal)
		: await callRoute(automationTemplateRoutes.validateSheets, { body: { template, sheets: data } }, signal);
	let wait = FIRST_MS;
	for (;;) {
		const status = await callRoute(automationTemplateRoutes.validationStatus, { params: { task_id } }, signal);
		if (status.result !== null) return status.result;
		if (status.completed) throw new UserError(status.error ?? "The check failed.");
		await new Promise((resolve) => setTimeout(resolve, wait));
		wait = polling_interval * 1000;
	}
}
