/** Texts that people write. */
import * as z from "zod";
import { DIRECTION_CONTROLS, DIRECTION_CONTROLS_MESSAGE } from "./values.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
export const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Refuses characters that turn the direction of the text beside them. */
export const refuseTurning = <T extends z.ZodType<string>>(text: T): T =>
	text.refine((value) => !DIRECTION_CONTROLS.test(value), DIRECTION_CONTROLS_MESSAGE);

/** Refuses a text of nothing but blanks. */
export const refuseBlank = <T extends z.ZodType<string>>(text: T): T =>
	text.refine((value) => value.trim() !== "", "Must not be empty.");

/** A text with one line, without blanks around it and without control characters. */
export const defineLine = (max: number, min = 1) =>
	refuseTurning(
		z
			.string()
			.trim()
			.min(min, min === 1 ? "Must not be empty." : `Must be at least ${min} characters.`)
			.max(max, `Must be at most ${max} characters.`)
			.refine((text) => !CONTROL.test(text), "Must not contain control characters."),
	);
