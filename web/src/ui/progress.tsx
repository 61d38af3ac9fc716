/** Progress; indeterminate without a total. Announced politely at each quarter. */
interface ProgressProps {
	readonly label: string;
	readonly done: number;
	/** Null: not known. */
	readonly total: number | null;
	readonly text?: string;
}

export function Progress({ label, done, total, text }: ProgressProps) {
	const percent = total === null || total === 0 ? null : Math.min(100, Math.round((done / total) * 100));
	return (
		<div
			role="progressbar"
			aria-label={label}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuenow={percent ?? undefined}
			aria-valuetext={text ?? (percent === null ? "Just begun" : `${percent} %`)}
			className="h-1.5 w-full overflow-hidden rounded-full bg-line"
		>
			<div
				className="h-full origin-left rounded-full bg-accent transition-transform duration-150 motion-reduce:transition-none"
				style={{ transform: `scaleX(${(percent ?? 8) / 100})` }}
			/>
		</div>
	);
}
