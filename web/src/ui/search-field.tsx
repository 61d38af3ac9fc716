/** The filter of a page, focused by "/". Reports its text after a short pause. */
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { goToRow } from "../platform/row-keys.ts";
import { joinClasses } from "./classes.ts";

interface SearchFieldProps {
	readonly value: string;
	readonly label: string;
	readonly className?: string;
	readonly mono?: boolean;
	readonly placeholder?: string;
	onChange(text: string): void;
	/** Enter, after the text has been reported. */
	onEnter?(text: string): void;
}

const PAUSE_MS = 150;

export function SearchField({
	value,
	label,
	className,
	mono = false,
	placeholder,
	onChange,
	onEnter,
}: SearchFieldProps) {
	const [text, setText] = useState(value);
	/** The text that `value` is expected to become. */
	const reported = useRef(value);
	// The address may change it from outside: back and forward. A value that was reported from here
	// may arrive late, when more has been typed already.
	useEffect(() => {
		if (value === reported.current) return;
		reported.current = value;
		setText(value);
	}, [value]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: only the typed text is reported
	useEffect(() => {
		if (text === value) return;
		const timer = setTimeout(() => {
			// Enter has reported it already.
			if (reported.current === text) return;
			reported.current = text;
			onChange(text);
		}, PAUSE_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return (
		<span className={joinClasses("relative block min-w-0", className ?? "w-56")}>
			<Search
				size={14}
				aria-hidden="true"
				className="pointer-events-none absolute top-1/2 left-2 -translate-y-1/2 text-muted"
			/>
			<input
				data-page-filter
				type="search"
				aria-label={label}
				placeholder={placeholder ?? label}
				value={text}
				spellCheck={false}
				autoComplete="off"
				className={joinClasses("control w-full pl-7!", mono && "mono")}
				onChange={(event) => setText(event.target.value)}
				onKeyDown={(event) => {
					if (event.key === "ArrowDown" && goToRow(1)) event.preventDefault();
					if (event.key === "Enter" && onEnter) {
						reported.current = text;
						if (text !== value) onChange(text);
						onEnter(text);
					}
					if (event.key !== "Escape" || text === "") return;
					event.stopPropagation();
					setText("");
				}}
			/>
		</span>
	);
}
