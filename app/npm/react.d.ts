import type { ReactElement, ReactNode } from 'react';
import type { Answer, Question, Refusal } from './index.js';

export interface ShardwiseProps {
  /** Address of the calculator's site: `https://docs.example.org/shardwise/`. */
  site: string;
  /** Catalog id of the model; what is left out is the usual. */
  model?: string;
  /** Catalog id of the GPU. */
  gpu?: string;
  gpus?: number | string;
  /** `grpo`, `sft`, `lora` and so on, as the interface names them. */
  workload?: string;
  framework?: string;
  /** A question of the interface, or a copied link; it goes before the five. */
  question?: Question | string;
  /** Those to show, with commas: `verdict,memory`. */
  panels?: string;
  lang?: 'en' | 'zh';
  theme?: 'auto' | 'light' | 'dark';
  /** Name of the frame for those who hear the page. */
  title?: string;
  id?: string;
  className?: string;
  /** What the question that is shown is answered with, whenever it changes. */
  onAnswer?: (answer: Answer | Refusal) => void;
  onQuestion?: (question: Question) => void;
  /** What is seen until the calculator is there, and where no script runs. */
  children?: ReactNode;
}

/** The calculator as an element that loads its page when it comes near the window. */
export default function Shardwise(props: ShardwiseProps): ReactElement;
