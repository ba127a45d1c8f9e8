# Full fine-tuning of Llama 2 7B on 8 × NVIDIA A100 SXM4 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# ds_config_hf.json goes with a script on Hugging Face's Trainer, which fills in what is auto; ds_config.json, in plain numbers, with a script that calls deepspeed.initialize.

args=(
  # What the Trainer writes in place of auto: together it is ds_config.json
  --deepspeed ds_config_hf.json  # the other file
  --per_device_train_batch_size 4  # sequences of one forward pass on one GPU
  --gradient_accumulation_steps 4  # 4 passes make a batch of 128
  --bf16 True  # precision of your question
  --max_grad_norm 1.0  # gradient_clipping
  --learning_rate 1e-5  # a start; yours to tune
  --adam_beta2 0.95  # betas
  --weight_decay 0.0  # weight_decay

  # What neither configuration can say
  --model_name_or_path meta-llama/Llama-2-7b-hf  # the model on Hugging Face, or a folder with it
  --dataset_name "$HOME/data/train"  # change this to your data
  --output_dir "$HOME/output/shardwise"  # change this to your folder
  --max_length 4096  # tokens, from your question
  --gradient_checkpointing True  # each layer again from its input: far fewer activations
)
# train.py is your script on Hugging Face's Trainer; these are TRL's names.
deepspeed --num_nodes 1 --num_gpus 8 train.py "${args[@]}"
# A script that calls deepspeed.initialize takes the plain numbers:
# deepspeed --num_nodes 1 --num_gpus 8 train.py --deepspeed --deepspeed_config ds_config.json
