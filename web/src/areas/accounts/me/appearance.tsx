/** Theme, density and keys of this browser. */
import { RotateCcw } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { type Density, setDensity, setTheme, type Theme, useAppearance } from "../../../platform/appearance.ts";
import { findComboProblem } from "../../../platform/combo-problem.ts";
import { formatKeyPress } from "../../../platform/combos.ts";
import { type Command, changeKeys, getKeys, switchLetters, useKeys } from "../../../platform/keys.ts";
import { IconButton } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { CheckField } from "../../../ui/field.tsx";
import { Keys } from "../../../ui/kbd.tsx";
import { Panel } from "../../../ui/page.tsx";
import { MeFrame } from "./frame.tsx";

const THEMES: readonly (readonly [Theme, string])[] = [
	["system", "System"],
	["light", "Light"],
	["dark", "Dark"],
];
const DENSITIES: readonly (readonly [Density, string])[] = [
	["compact", "Compact"],
	["comfortable", "Comfortable"],
];

export function AppearancePage() {
	const { theme, density } = useAppearance();
	return (
		<MeFrame title="Appearance and keys">
			<Panel title="Appearance" padded>
				<div className="flex flex-wrap gap-8">
					<Choice legend="Theme" options={THEMES} value={theme} onChange={setTheme} />
					<Choice legend="Rows" options={DENSITIES} value={density} onChange={setDensity} />
				</div>
			</Panel>
			<KeySettings />
		</MeFrame>
	);
}

interface ChoiceProps<T extends string> {
	readonly legend: string;
	readonly options: readonly (readonly [T, string])[];
	readonly value: T;
	onChange(value: T): void;
}

function Choice<T extends string>({ legend, options, value, onChange }: ChoiceProps<T>) {
	return (
		<fieldset className="m-0 border-0 p-0">
			<legend className="mb-1.5 p-0 font-medium">{legend}</legend>
			<div className="flex overflow-hidden rounded-control border border-line">
				{options.map(([option, label]) => (
					<label
						key={option}
						className={joinClasses(
							"grid h-7 cursor-pointer place-items-center border-line border-l px-3 first:border-l-0 has-focus-visible:outline-2 has-focus-visible:outline-accent-text",
							option === value ? "bg-accent-soft font-medium text-accent-text" : "hover:bg-sunken",
						)}
					>
						<input
							type="radio"
							className="sr-only"
							name={legend}
							checked={option === value}
							onChange={() => onChange(option)}
						/>
						{label}
					</label>
				))}
			</div>
		</fieldset>
	);
}

function KeySettings() {
	const state = useKeys();
	const shown = state.commands.filter(({ keys }) => keys !== undefined);
	return (
		<Panel title="Keys">
			<div className="border-line border-b p-3">
				<CheckField
					label="Single keys run commands"
					hint="Off: only combinations with Ctrl or Alt run commands. Keys never act while you type in a field."
					checked={state.letters}
					onChange={(event) => switchLetters(event.target.checked)}
				/>
			</div>
			<ul className="m-0 list-none p-0">
				{shown.map((command) => (
					<KeyRow
						key={command.id}
						command={command}
						combo={getKeys(command, state)}
						isOwn={command.id in state.custom}
					/>
				))}
			</ul>
		</Panel>
	);
}

function KeyRow({
	command: { id, label, group },
	combo,
	isOwn,
}: {
	command: Command;
	combo: string | undefined;
	isOwn: boolean;
}) {
	const [heard, setHeard] = useState<string | null>(null);
	const problem = heard === null || heard === "" ? null : findComboProblem(heard);
	const listen = (event: KeyboardEvent) => {
		if (event.key === "Tab") return;
		event.preventDefault();
		event.stopPropagation();
		if (event.key === "Escape") return setHeard(null);
		if (event.key === "Backspace") {
			changeKeys(id, "");
			return setHeard(null);
		}
		if (event.key === "Enter" && heard) {
			if (problem === null) {
				changeKeys(id, heard);
				setHeard(null);
			}
			return;
		}
		const press = formatKeyPress(event.nativeEvent);
		if (press !== null) setHeard((before) => (before && !before.includes(" ") ? `${before} ${press}` : press));
	};
	return (
		<li className="flex min-h-9 flex-wrap items-center gap-2 border-line border-b px-3 py-1 last:border-b-0">
			<span className="min-w-0 flex-1">
				{label} <span className="text-muted text-xs">{group}</span>
			</span>
			{heard !== null && (
				<span className={problem ? "text-bad text-xs" : "text-muted text-xs"} role="status">
					{heard === "" ? "Press keys; Backspace for none" : (problem ?? "Enter accepts, Escape cancels")}
				</span>
			)}
			<button
				type="button"
				className={joinClasses(
					"relative inline-flex h-7 min-w-24 items-center justify-center rounded-control border px-2 hover:bg-sunken",
					heard === null ? "border-line" : "border-accent",
				)}
				onClick={() => setHeard(heard === null ? "" : null)}
				onKeyDown={heard === null ? undefined : listen}
				onBlur={() => setHeard(null)}
			>
				<span className="sr-only">
					Keys of {label}: {combo ?? "none"}. Change
				</span>
				{heard || combo ? (
					<Keys combo={heard || (combo ?? "")} />
				) : (
					<span className="text-muted" aria-hidden="true">
						none
					</span>
				)}
			</button>
			{isOwn && (
				<IconButton
					variant="ghost"
					label={`Keys of ${label} as they were`}
					icon={RotateCcw}
					onClick={() => changeKeys(id, null)}
				/>
			)}
		</li>
	);
}
