/** The filter of a page, focused by "/". Reports its text after a short pause. */
import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
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
	/** Texts that were reported and that `value` has not become yet. */
	const reported = useRef<string[]>([]);
	const report = () => {
		if (text === (reported.current.at(-1) ?? value)) return;
		reported.current.push(text);
		onChange(text);
	};
	const reportAfterPause = useEffectEvent(report);
	// The address may change it from outside: back and forward. A value that was reported from here
	// may arrive late, when more has been typed already.
	useEffect(() => {
		const arrived = reported.current.indexOf(value);
		reported.current.splice(0, arrived < 0 ? reported.current.length : arrived + 1);
		if (arrived < 0) setText(value);
	}, [value]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: a pause begins anew with each text
	useEffect(() => {
		const timer = setTimeout(reportAfterPause, PAUSE_MS);
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
						report();
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
