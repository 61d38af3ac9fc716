/** One of several by name: type, arrow, Enter. */
import { Fragment, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { joinClasses } from "../../../ui/classes.ts";
import { Modal } from "../../../ui/dialog.tsx";

export interface Choice {
	readonly id: string;
	readonly label: ReactNode;
	readonly aside?: ReactNode;
	/** Heading above the first choice of a group. */
	readonly group?: string;
	/** Why it cannot be taken. */
	readonly problem?: string | null;
}

interface PickDialogProps {
	readonly title: string;
	readonly placeholder: string;
	readonly text: string;
	/** Those for the text, best first. */
	readonly choices: readonly Choice[];
	onText(text: string): void;
	onPick(id: string): void;
	onClose(): void;
}

export function PickDialog({ title, placeholder, text, choices, onText, onPick, onClose }: PickDialogProps) {
	const id = useId();
	const [at, setAt] = useState(0);
	const current = Math.min(at, choices.length - 1);
	const pick = (choice: Choice | undefined) => {
		if (choice === undefined || choice.problem) return;
		onClose();
		onPick(choice.id);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "ArrowDown") setAt((current + 1) % Math.max(1, choices.length));
		else if (event.key === "ArrowUp") setAt((current - 1 + choices.length) % Math.max(1, choices.length));
		else if (event.key === "Enter") pick(choices[current]);
		else return;
		event.preventDefault();
	};
	return (
		<Modal
			label={title}
			className="inset-x-0 top-[min(14vh,120px)] bottom-auto mx-auto! w-[min(480px,calc(100vw-24px))] overflow-hidden rounded-dialog"
			onClose={onClose}
		>
			<div data-body className="border-line border-b px-3.5">
				<input
					role="combobox"
					aria-label={title}
					aria-expanded="true"
					aria-controls={`${id}-list`}
					aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
					aria-autocomplete="list"
					placeholder={placeholder}
					value={text}
					spellCheck={false}
					autoComplete="off"
					className="h-11 w-full border-0 bg-transparent text-md outline-none!"
					onChange={(event) => {
						onText(event.target.value);
						setAt(0);
					}}
					onKeyDown={onKeyDown}
				/>
			</div>
			<div
				id={`${id}-list`}
				role="listbox"
				aria-label={title}
				tabIndex={-1}
				className="max-h-[min(400px,60vh)] overflow-y-auto p-1.5"
			>
				{choices.length === 0 && <p className="m-0 px-2 py-4 text-center text-muted">Nothing matches.</p>}
				{choices.map((choice, index) => (
					<Fragment key={choice.id}>
						{choice.group !== undefined && choice.group !== choices[index - 1]?.group && (
							<div role="presentation" className="px-2 pt-2 pb-1 font-medium text-muted text-xs">
								{choice.group}
							</div>
						)}
						{/* biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys */}
						<div
							id={`${id}-${index}`}
							role="option"
							aria-selected={index === current}
							aria-disabled={choice.problem ? true : undefined}
							tabIndex={-1}
							ref={(element) => {
								if (index === current) element?.scrollIntoView({ block: "nearest" });
							}}
							className={joinClasses(
								"flex min-h-8 cursor-pointer items-center gap-3 rounded-control px-2 py-1",
								index === current && "bg-accent-soft",
								choice.problem && "cursor-default text-muted",
							)}
							onClick={() => pick(choice)}
						>
							<span className="min-w-0 flex-1 truncate">{choice.label}</span>
							<span className="max-w-[65%] shrink-0 truncate text-muted text-xs">{choice.problem ?? choice.aside}</span>
						</div>
					</Fragment>
				))}
			</div>
		</Modal>
	);
}
