/**
 * A day, a time of day, or both, as text in the form in which Weft shows times, in every browser. A
 * button opens the browser's own calendar or clock.
 */
import { CalendarDays, Clock } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Field, type Labelled } from "./field.tsx";
import { EXAMPLES, formatWhen, parseWhen, type WhenKind } from "./when.ts";

interface WhenFieldProps extends Labelled {
	readonly kind: WhenKind;
	/** A value that `parseWhen` returns; empty: none. */
	readonly value?: string;
	/** Bounds, in the form of the value. */
	readonly min?: string | undefined;
	readonly max?: string | undefined;
	readonly name?: string;
	/** The service's name of a field that has no `name`. */
	readonly field?: string;
	readonly title?: string;
	/** Stands before the form of the value in an empty field, which has no visible label. */
	readonly prefix?: string;
	readonly required?: boolean;
	readonly disabled?: boolean;
	/** Keeps a text from `onChange` until it is complete, as filters want it. */
	readonly onlyComplete?: boolean;
	/** Takes the value, or the text itself if it is none: the service then refuses it. */
	onChange?(value: string): void;
}

const PLACEHOLDERS = { date: "YYYY-MM-DD", datetime: "YYYY-MM-DD HH:MM", time: "HH:MM" } as const;
const NATIVE = { date: "date", datetime: "datetime-local", time: "time" } as const;

/** Finds the fault of a text. Returns an empty text for none. */
function findFault(kind: WhenKind, text: string, min: string | undefined, max: string | undefined): string {
	const value = parseWhen(kind, text);
	if (text.trim() === "") return "";
	if (value === null) return `Write it as ${EXAMPLES[kind]}.`;
	if (min !== undefined && value < min) return `Must not be before ${formatWhen(min)}.`;
	if (max !== undefined && value > max) return `Must not be after ${formatWhen(max)}.`;
	return "";
}

export function WhenField({ kind, value, min, max, onChange, label, hint, error, ...rest }: WhenFieldProps) {
	const {
		hideLabel = false,
		className,
		name,
		field,
		title,
		prefix = "",
		required = false,
		disabled = false,
		onlyComplete = false,
	} = rest;
	const [text, setText] = useState(formatWhen(value ?? ""));
	const [isLeft, setLeft] = useState(false);
	const typed = useRef<HTMLInputElement>(null);
	const native = useRef<HTMLInputElement>(null);
	const fault = findFault(kind, text, min, max);
	useEffect(() => typed.current?.setCustomValidity(fault), [fault]);
	// A value from outside replaces the text, unless the text says the same.
	const [known, setKnown] = useState(value);
	if (value !== known) {
		setKnown(value);
		if (value !== undefined && value !== text && value !== parseWhen(kind, text)) setText(formatWhen(value));
	}
	const write = (next: string) => {
		setText(next);
		if (!onlyComplete || findFault(kind, next, min, max) === "") onChange?.(parseWhen(kind, next) ?? next.trim());
	};
	const Icon = kind === "time" ? Clock : CalendarDays;
	return (
		<Field
			label={label}
			hint={hint}
			error={error ?? (isLeft && fault !== "" ? fault : undefined)}
			hideLabel={hideLabel}
			className={className ?? ""}
		>
			{(ids) => (
				<span className="relative block">
					<input
						{...ids}
						ref={typed}
						type="text"
						{...(name === undefined ? {} : { name })}
						data-field={field}
						{...(title === undefined ? {} : { title })}
						required={required}
						disabled={disabled}
						value={text}
						placeholder={`${prefix}${PLACEHOLDERS[kind]}`}
						autoComplete="off"
						spellCheck={false}
						className="control num w-full min-w-28 pr-8!"
						onChange={({ target }) => {
							setLeft(false);
							write(target.value);
						}}
						onBlur={() => setLeft(true)}
					/>
					<input
						ref={native}
						type={NATIVE[kind]}
						tabIndex={-1}
						aria-hidden="true"
						value={parseWhen(kind, text) ?? ""}
						min={min}
						max={max}
						className="pointer-events-none absolute inset-0 opacity-0"
						onChange={({ target }) => write(formatWhen(target.value))}
					/>
					<button
						type="button"
						aria-label={kind === "time" ? "Open the clock" : "Open the calendar"}
						disabled={disabled}
						className="absolute inset-y-0 right-0 grid w-8 place-items-center rounded-control text-muted hover:text-fg"
						onClick={() => native.current?.showPicker()}
					>
						<Icon size={14} aria-hidden="true" />
					</button>
				</span>
			)}
		</Field>
	);
}
